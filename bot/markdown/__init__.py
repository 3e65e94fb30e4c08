"""Markdown as a tree that can be changed and written again, and as a stream of finished blocks.

    tree = parse(text)                       # a frozen Node; see bot/markdown/tree.py for what it holds
    tree = rewritten(tree, change)           # change(text) -> inline nodes, for every text outside code
    text = markdown(tree)                    # the source again; parse(text) == tree

    blocks = Blocks()                        # while a text streams
    for piece in pieces:
        for block in blocks.feed(piece): ... # the source of one paragraph, heading, table, fence, quotation, list item
    for block in blocks.finish(): ...        # the rest, with an open fence closed; all joined are the text

A block's inline nodes are the children of its paragraphs, headings and cells: `walk(tree)` finds them, `sentences(
paragraph.children)` cuts them, `plain(nodes)` is what a reader sees of them. A citation `[1]` is always text.

Parsed with markdown-it-py. The way back is our own: mdformat renders for authors (it rewrites rules, numbers and
blanks, and knows no tables without a further package), and trees that nobody wrote come back as something else.
"""

from bot.markdown.blocks import Blocks
from bot.markdown.sentences import rewritten, sentences
from bot.markdown.tree import Node, joined, parse, plain, walk
from bot.markdown.writing import markdown

__all__ = ["Blocks", "Node", "joined", "markdown", "parse", "plain", "rewritten", "sentences", "walk"]
