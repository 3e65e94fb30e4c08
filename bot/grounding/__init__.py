"""What a model says becomes an answer whose every sentence is carried by lines of the repository, or it goes.

    block of Markdown → sentences → cited passages, names and values looked up → narrowed citations → Markdown

`grounder` is where it begins. `numbers` reads the citations, `claims` what a sentence says (`values`, `language`),
`support` whether a passage carries it, `check` whether all of it exists. `layout` knows what is no statement, `flow`
what waits for what follows, `sentence` where the new numbers stand; `citing` numbers the lines that are cited.
`ending` is for a reply that was cut off.
"""

from bot.grounding.check import Knowledge
from bot.grounding.grounder import Grounder

__all__ = ["Grounder", "Knowledge"]
