"""The HTTP service: a request becomes a question, and the answer becomes JSON or a stream of events.

Journal (id, log line, last resort) → Gate (token, budget, size, type) → Service (routes) → wire models
"""

from bot.adapters.http.application import create_application
from bot.adapters.http.options import HttpOptions, PageOptions

__all__ = ["HttpOptions", "PageOptions", "create_application"]
