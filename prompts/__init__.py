"""The words sent to the model: one Markdown file a prompt, `string.Template` variables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


def render(name: str, **variables: str) -> str:
    """The prompt `name` with its variables filled in. Raises ValueError unless exactly its variables are given."""
    template = _template(name)
    wanted = set(template.get_identifiers())
    if wanted != variables.keys():
        raise ValueError(f"prompt {name} takes {sorted(wanted)}, not {sorted(variables)}")
    return template.substitute(variables)


@cache
def _template(name: str) -> Template:
    return Template(files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip())
