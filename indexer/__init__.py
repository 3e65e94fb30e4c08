"""A repository becomes searchable. Knows nothing of questions, chats or language models."""
