"""Discord: a message that addresses us, or a command, becomes a question, and its answer a few messages.

    gateway event → Heard → addressed? → noted, job → conversation → Question → Answer → messages, edited, withdrawn

`hearing`, `policy` and `failures` decide, without I/O; `bot` listens, and `catching_up` finds what it missed; `work`
does one job, in steps that may each be repeated; `channels` writes. `commands` and `buttons` are what people press;
`configs` and `answers` are what the ledger keeps for them, `limits` how much is answered.
"""
