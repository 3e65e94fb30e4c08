"""GitHub: a delivery that mentions us becomes a question, and the answer one comment that lives as long as it.

    delivery → verified → Event → job → Thread → Question → Answer → comment, edited, withdrawn

`signature`, `deliveries`, `policy`, `mentions`, `template`, `asking`, `threads` and `failures` decide, without I/O;
`webhook` notes and queues; `work` does one job, in steps that may each be repeated; `client` alone speaks to GitHub.
"""
