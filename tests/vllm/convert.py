"""A GGUF file becomes a folder that vLLM serves. Runs inside the prepared environment, never in the product's own.

python convert.py FILE.gguf FOLDER
"""

import sys
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer


def convert(gguf: Path, folder: Path) -> None:
    """Write config, float32 weights and tokenizer (with its chat template) of `gguf` into `folder`.

    The weights go through a fresh model because the loaded one still says that it is quantized, and saves as such.
    Raises ValueError when the file carries no chat template: the chat endpoint would refuse every request.
    """
    source = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**source)
    if not tokenizer.chat_template:
        raise ValueError(f"{gguf.name} carries no chat template")
    quantized = AutoModelForCausalLM.from_pretrained(**source, dtype="float32")
    config = quantized.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = AutoModelForCausalLM.from_config(config, dtype="float32")
    plain.load_state_dict(quantized.state_dict())
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
