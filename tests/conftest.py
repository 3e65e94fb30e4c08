"""How hypothesis is run: the same examples each time in the tests, many new ones in `make fuzz`.

A property that a random example refutes says nothing about the change that is being tested, so the tests repeat;
whatever `make fuzz` finds becomes an `@example`.
"""

from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=3_000, print_blob=True)
settings.load_profile("tests")
