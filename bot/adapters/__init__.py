"""Where questions come in and replies go out: one module or package a place, none knowing another."""
