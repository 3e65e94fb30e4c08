"""An error becomes a response, in the form that the programs at its path expect."""

from __future__ import annotations

from fastapi.responses import JSONResponse

from bot.adapters.http.openai import PREFIX as OPENAI
from bot.adapters.http.openai import refusal
from bot.adapters.http.problem import explained


def refused(path: str, error: Exception) -> JSONResponse:
    return refusal(error) if path.startswith(OPENAI) else explained(error).response()
