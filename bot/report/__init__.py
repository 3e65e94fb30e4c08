"""What maintainers want to read: a period of questions, what was not answered and where it should have been found.

history → Period, Figures → unresolved questions → topics with their documents → Report → Markdown, HTML or JSON
"""

from bot.report.document import markdown_of
from bot.report.making import Sources, make_report
from bot.report.page import html_of
from bot.report.period import Period
from bot.report.report import Report, fields_of

__all__ = ["Period", "Report", "Sources", "fields_of", "html_of", "make_report", "markdown_of"]
