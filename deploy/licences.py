"""docs/licences.md: what each dependency of the image is licensed under, as it says itself.

python -m deploy.licences ENVIRONMENT > docs/licences.md

ENVIRONMENT has what deploy/requirements.lock names; `make licences` makes one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from string import Template

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.utils import canonicalize_name

from deploy.locks import locked

LOCK = Path(__file__).with_name("requirements.lock")

# Whoever passes the image on may do so under these: they ask for their text and their notice, and the last two rows for
# changes to the package itself. A licence that asks something of what stands beside it (GPL, AGPL, SSPL) is not here.
ALLOWED = frozenset(
    """
    0BSD Apache-2.0 BSD BSD-2-Clause BSD-3-Clause CC0-1.0 CNRI-Python ISC MIT MIT-0 PSF-2.0 Unlicense Zlib
    MPL-2.0
    LGPL LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later
    """.split()
)
# What packages wrote before https://peps.python.org/pep-0639/ gave them expressions. "BSD" leaves its clauses unsaid.
SPELLINGS: Mapping[str, str] = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License Version 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}
PAGE = Template("""# Licences

RepoPilot is licensed under Apache-2.0; [NOTICE](../NOTICE) says where its embedding model comes from. The image in
`deploy/` holds these packages beside it, unchanged, under licences that they name in their metadata. `make licences`
writes this page from [requirements.lock](../deploy/requirements.lock), and a test refuses a licence outside the list in
[licences.py](../deploy/licences.py). What Debian brings is in the list of contents that a published image carries.

| package | version | licence |
|---|---|---|
$rows
""")


def licence(package: Distribution) -> str:
    """Return the expression that the metadata declares, else its older words for it, else `unknown`."""
    expressions, words, classifiers = (
        package.metadata.get_all(field) or [] for field in ("License-Expression", "License", "Classifier")
    )
    for declared in (*expressions, *(text.strip().partition("\n")[0] for text in words)):
        if known := spelled(declared.strip()):
            return known
    said = [classifier for classifier in classifiers if classifier.startswith("License ::")]
    return " AND ".join(spelled(one.rpartition(" :: ")[2]) or one for one in said) or "unknown"


def spelled(declared: str) -> str | None:
    """Return the SPDX expression for what was declared (https://spdx.org/licenses/), or None."""
    if declared in SPELLINGS:
        return SPELLINGS[declared]
    try:
        return canonicalize_license_expression(declared)
    except InvalidLicenseExpression:
        return None


def named(expression: str) -> set[str]:
    """Return the licences in an expression, alternatives and exceptions too."""
    return {word for word in re.findall(r"[\w.+-]+", expression) if word not in ("AND", "OR", "WITH")}


def rows(lock: Path, site: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, version and licence of what the image has; raise ValueError where the environment has another."""
    installed = {canonicalize_name(package.name): package for package in distributions(path=[str(site)])}
    for one in locked(lock):
        if one.in_image:
            package = installed.get(one.name)
            if package is None or package.version != one.version:
                raise ValueError(f"{one.name} {one.version} is locked, but not in {site}")
            yield one.name, one.version, licence(package)


def main(environment: str) -> None:
    """Write the page to standard output."""
    [site] = Path(environment).glob("lib/python*/site-packages")
    lines = [f"| {name} | {version} | {said} |" for name, version, said in rows(LOCK, site)]
    sys.stdout.write(PAGE.substitute(rows="\n".join(lines)))


if __name__ == "__main__":
    main(*sys.argv[1:])
