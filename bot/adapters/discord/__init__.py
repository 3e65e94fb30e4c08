"""Discord: a message that addresses us, or a command, becomes a question, and its answer a few messages.

    gateway event → Heard → addressed? → noted, job → conversation → Question → Answer → messages, edited, withdrawn

`hearing`, `policy` and `failures` decide, without I/O; `bot` listens; `work` does one job, in steps that may each be
repeated; `channels` writes. `commands` and `buttons` are what people press.
"""
