"""What the service bears: many askers at once, and a steady rate for a long time."""
