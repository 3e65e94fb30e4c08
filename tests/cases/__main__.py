"""`python tests/cases FOLDER --sections F,G`: the driver, with tests/ as the place its packages are found."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from cases.driver import main

    raise SystemExit(main())
