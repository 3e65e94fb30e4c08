"""One answer becomes a GitHub comment or Discord messages, with nothing in them but what is safe to post."""
