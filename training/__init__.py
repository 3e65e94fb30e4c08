"""How the static embedding model that ships with the indexer was made, from public sources, by one command."""
