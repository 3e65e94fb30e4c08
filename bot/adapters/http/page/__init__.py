"""The web page at `/`, and the same in a frame for the widget: static files, and the answers they ask for.

site.py reads and describes the files; told.py makes an answer's events those of the page; routes.py is the shell.
"""

from bot.adapters.http.page.routes import page_routes

__all__ = ["page_routes"]
