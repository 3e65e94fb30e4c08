"""A question becomes a cited answer, and the answer becomes a reply."""
