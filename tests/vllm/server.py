"""A real vLLM OpenAI server on loopback: started, watched until healthy, and stopped with all its children."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from prepare import SMOLLM2, Model, environment_python, model_folder

HEALTHY_SECONDS = 300  # a small part of it on an idle machine; an early end is noticed at once
STOP_SECONDS = 15
LOG_LINES = 40
# On a small machine without a GPU only this start comes up within minutes: no graph compilation, no emulated bfloat16.
OPTIONS = ("--max-model-len=4096", "--dtype=float32", "--enforce-eager")
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB: two requests of the full length and more
    # One thread, because OpenMP threads wait for each other after every layer: with other work on the same two cores,
    # two threads made 0.6 tokens/s where one makes 8.
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    # The worker runs inside the engine's process. Most of the start is importing vLLM, once a process: two, not three.
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}
# The server asks the kernel for a SIGTERM when its parent dies (1 is PR_SET_PDEATHSIG), then becomes vLLM: killing the
# test run leaves no server behind.
FOLLOW_PARENT = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execv(sys.executable, sys.argv[1:])"


def free_port() -> int:
    """Return a loopback port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class ServerError(Exception):
    """The server did not come up; the message ends with the last lines of its log."""


@dataclass(slots=True)
class VllmServer:
    """One server of one model, on one port for its whole life, so that it may be killed and started again."""

    python: Path
    folder: Path
    model: str
    log: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        """The OpenAI base URL, as clients want it: with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def ensure_running(self) -> None:
        """Start the server unless it runs, and return when it is healthy; raise ServerError when it does not get so."""
        if self._process is not None and self._process.poll() is None:
            return
        self.kill()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                env=_outer_environment() | ENVIRONMENT,
                cwd=self.log.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_healthy()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Ask the server to end, then make it: afterwards no process of its group is left."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End every process of the server's group at once, as a crash or the out-of-memory killer would."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def metric(self, name: str) -> float:
        """Return one of the server's Prometheus metrics, summed over its labels; 0 before its first sample."""
        text = httpx.get(f"http://127.0.0.1:{self.port}/metrics", timeout=30).text
        samples = (line.rpartition(" ") for line in text.splitlines() if line.startswith((f"{name}{{", f"{name} ")))
        return sum(float(value) for _, _, value in samples)

    def _command(self) -> list[str]:
        # The module, because the `vllm` command of this build looks for a distribution of another name.
        return [
            *(str(self.python), "-c", FOLLOW_PARENT),
            *(str(self.python), "-m", "vllm.entrypoints.openai.api_server"),
            *("--model", str(self.folder), "--served-model-name", self.model),
            *("--host", "127.0.0.1", "--port", str(self.port)),
            *OPTIONS,
        ]

    def _wait_until_healthy(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + HEALTHY_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise ServerError(f"vLLM ended with code {self._process.returncode}:\n{self._last_lines()}")
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{self.port}/health", timeout=5).status_code == httpx.codes.OK:
                    return
            time.sleep(0.25)
        raise ServerError(f"vLLM was not healthy after {HEALTHY_SECONDS} s:\n{self._last_lines()}")

    def _last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-LOG_LINES:])


def _outer_environment() -> dict[str, str]:
    """Return this process's environment without what would change the other Python, or vLLM's own settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VLLM_"))}


@contextlib.contextmanager
def serving(log: Path, model: Model = SMOLLM2) -> Iterator[VllmServer]:
    """Yield a healthy server of `model`, preparing what it needs; stop it at the end. Its output goes to `log`."""
    server = VllmServer(environment_python(), model_folder(model), model.name, log)
    try:
        server.ensure_running()
        yield server
    finally:
        server.stop()
