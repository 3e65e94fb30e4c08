"""What indexing and searching cost (`make bench`)."""
