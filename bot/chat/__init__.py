"""Passages and a question become a language model's words: a vLLM (or any OpenAI-compatible) server, by LangChain.

`client` is where it begins; `prompt`, `untrusted`, `budget` and `thread` make what is sent, `completion` and `server`
talk to the server, `thoughts`, `statements` and `speech` make Markdown of what comes. Nothing is imported here:
LangChain takes seconds.
"""
