"""What one case of section E showed: what the model was asked, and what its words became on each surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.types import Answer, Passage
from cases.rendering_observation import RenderingObservation


@dataclass(frozen=True, slots=True)
class InjectionObservation:
    """`messages` are those of the last request, `said` the model's words, `surfaces` what each surface would send.

    `opened` are the files that were opened while the answer was made.
    """

    question: str
    thread: Sequence[str] = ()
    passages: Sequence[Passage] = ()
    said: str = ""
    messages: Sequence[Mapping[str, str]] = ()
    answer: Answer | None = None
    surfaces: Mapping[str, RenderingObservation] = field(default_factory=dict)
    opened: Sequence[str] = ()

    @property
    def untrusted(self) -> list[str]:
        """Everything that somebody else wrote."""
        of_passages = [text for passage in self.passages for text in (passage.path, passage.text)]
        return [self.question, *self.thread, *of_passages]

    @property
    def texts(self) -> list[str]:
        """Every text that would be sent."""
        return [text for surface in self.surfaces.values() for text in surface.messages]
