"""RepoPilot's tools for coding agents, over the Model Context Protocol: https://modelcontextprotocol.io/specification

    tools/call → tools → searching, reading lines, answering → results, as Markdown and as fields

The protocol's library takes most of a second to import: `serve` does so when the first agent calls (`Endpoint`).
"""
