"""RepoPilot as a model of OpenAI's API, so that chat programs can use it as one.

ChatRequest → conversation → Question → answering → completion, whole or in chunks
"""

from bot.adapters.http.openai.refusal import error_body, refusal
from bot.adapters.http.openai.routes import PREFIX, OpenAI, openai_router

__all__ = ["PREFIX", "OpenAI", "error_body", "openai_router", "refusal"]
