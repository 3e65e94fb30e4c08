"""Releases that messages name: invented messages about invented projects, and a few of well-known forms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from bot.releases import LONGEST_READ, mentions, plausible, release
from bot.standing import Standing

KNOWN = [Version("2.14.0"), Version("2.13.1")]


def standings(text: str, project: str = "paperboat") -> dict[str, Standing | None]:
    return {str(found.version): found.standing for found in mentions(text, project, KNOWN)}


@pytest.mark.parametrize(
    "text",
    [
        "paperboat Version: 2.13.1\npaperboat Build Flags: none",
        "[pip3] numpy==1.26.4\n[pip3] paperboat==2.13.1\n[pip3] paperboat-extras==0.3.0",
        "paperboat                 2.13.1                   pypi_0    pypi\npaperboat-core    2.99.0   pypi_0    pypi",
        "Package    Version\n---------- -------\nnumpy      1.26.4\npaperboat  2.13.1",
        "Name: paperboat\nVersion: 2.13.1\nSummary: a queue",
        "Name: numpy\nVersion: 1.26.4\n---\nName: paperboat\nVersion: 2.13.1",
        ">>> paperboat.__version__\n'2.13.1'",
        "$ python -c 'import paperboat; print(paperboat.__version__)'\n2.13.1",
        "$ paperboat --version\npaperboat 2.13.1",
        "$ paperboat --version\n2.13.1",
        "### Version\n\n2.13.1\n\n### Python version\n\n3.12.4",
        "### Which version of paperboat are you using?\n\nv2.13.1",
        "### CUDA version\n\n2.14.2\n\n### paperboat version\n\n2.13.1",
        "**paperboat version**: `2.13.1`",
        "| paperboat version | 2.13.1 |\n| Python | 3.12.4 |",
        "PAPERBOAT_VERSION=2.13.1",
        "- paperboat: 2.13.1\n- Python: 3.12.4",
    ],
)
def test_what_a_tool_prints_or_a_form_holds_is_reported(text: str) -> None:
    assert standings(text) == {"2.13.1": Standing.REPORTED}


@pytest.mark.parametrize("name", ["paper-boat", "paper_boat", "PaperBoat", "paper boat", "PAPERBOAT", "Paper.Boat"])
@pytest.mark.parametrize(
    "form", ["the {} v2.13.1", "{}==2.13.1 hangs", "{}-2.13.1.tar.gz", "{} (2.13.1) hangs", "{}@2.13.1 hangs"]
)
def test_a_name_is_known_in_every_spelling(name: str, form: str) -> None:
    for project in ("paperboat", "paper-boat", "PaperBoat"):
        assert list(standings(form.format(name), project)) == ["2.13.1"]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("docker run -p 80:80 paperboat/paperboat-server:v2.13.1 --workers 4", "2.13.1"),
        ("image: registry.example.com:5000/acme/paperboat:2.13.1-slim", "2.13.1"),
        ("FROM images.example.org/acme/paperboat:2.14.0-rc1", "2.14.0rc1"),
        ("https://github.com/acme/paperboat/releases/tag/v2.13.1", "2.13.1"),
        ("https://packages.example.org/project/paperboat/2.13.1/", "2.13.1"),
        ("https://paperboat.example.org/en/v2.13.1/queues.html", "2.13.1"),
        ("git+https://github.com/acme/paperboat.git@v2.13.1", "2.13.1"),
        ("https://files.example.org/paperboat-2.13.1-py3-none-any.whl", "2.13.1"),
        ("File '/opt/lib/python3.12/site-packages/paperboat-2.13.1.dist-info/RECORD'", "2.13.1"),
        ("Starting the queue runner (v2.13.1) with 4 workers", "2.13.1"),
        ("paperboat-worker 2.13.1 stops", "2.13.1"),
        ("the nightly paperboat 2.15.0.dev41+g1a2b3c4d5 stops", "2.15.0.dev41+g1a2b3c4d5"),
        ("version 2.13.1 of paperboat", "2.13.1"),
        ("2.13.1", "2.13.1"),
        ("paperboat 3.5 is out?", "3.5"),
        ("In the 2.13.x series, is there a retry?", "2.13"),
    ],
)
def test_images_links_and_prose_name_a_release(text: str, version: str) -> None:
    assert list(standings(text)) == [version]


@pytest.mark.parametrize(
    "text",
    [
        "numpy 2.13.1, CUDA 12.4, Python 3.11.7, driver 550.54.15",
        "Nvidia driver version: 2.13.1\nGCC version: (Ubuntu 11.4.0-1ubuntu1) 11.4.0\nCMake version: version 2.26.4",
        "Name: numpy\nVersion: 2.13.1",
        "numpy==2.13.1\nredis  2.13.1  pypi_0  pypi\nkombu>=2.13.1",
        "paperboat-extras==2.13.1 and paperboat_core 2.12.9",
        "needs paperboat>=2.13.1, paperboat < 3.0 and paperboat~=2.13.0",
        "connect to 2.14.7.16:6379 failed, also 10.2.14.1 and 0.0.0.0",
        "on 2026.03.01 it failed, and on 2026-03-01 again",
        "Running Qwen2.5, Llama 3.1 and Phi-2.5 with it",
        "a 2.5B model at temperature 0.7, top_p 0.9; I set it to 2.5 and it uses 2.5 GB",
        "12.5% more, the 99.9 percentile in 2.13 seconds, on 2.14 GPUs average",
        "see section 2.13.1 and step 2.14.0",
        'File "/opt/lib/python3.12/site-packages/numpy/2.13.1/core.py", line 12, in numpy-2.13.1',
        "version 2.13.1 of numpy",
        "the numpy upgrade to 2.13.1 did it, I upgraded redis to 2.14.0 too",
        "numpy was upgraded to 2.13.1",
        "numpy (2.13.1) | redis | 2.14.0",
        "the driver is 2.13.1",
        "v12.1 is out, and with 12.4.1 as well",
        "I'm on 3.11 and CUDA 12.4",
        "image nvidia/cuda:2.14.0-devel",
        "https://packages.example.org/project/numpy/2.13.1/ and https://example.org/cuda/v2.14.0/",
        "### numpy version\n\n2.13.1",
        "```\nwith 2.13.1\n```",
        "the API version 2.13.1",
        "paperboat 2.5 s later it used 2.5 GB",
        "backoff from 2.13 to 2.14 of the mean",
        "is there a v2 of it, or 2.x?",
        "",
    ],
)
def test_numbers_of_other_things_are_none(text: str) -> None:
    assert standings(text) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm running 2.13.1", Standing.RUN),
        ("we upgraded to 2.13.1", Standing.RUN),
        ("went back to paperboat 2.13.1", Standing.RUN),
        ("we are still on an older release (2.13.1)", Standing.RUN),
        ("pip install paperboat==2.13.1 then it hangs", Standing.RUN),
        ("broken in 2.13.1", Standing.FAILED),
        ("since 2.13.1 it is slow", Standing.FAILED),
        ("it does not start with 2.13.1", Standing.FAILED),
        ("is there a retry in 2.13.1?", Standing.NAMED),
        ("paperboat 2.13.1 prints nothing", Standing.NAMED),
        ("it works in 2.13.1", Standing.ELSEWHERE),
        ("the 2.13.1 docs say so", Standing.ELSEWHERE),
        ("the changelog of 2.13.1 says so", Standing.ELSEWHERE),
        ("it worked in 2.13.1", None),
        ("we ran 2.13.1", None),
        ("I had eight with 2.13.1", None),
        ("it used to work in 2.13.1", None),
        ("2.13.1 was fine", None),
        ("in the 2.13.1 days", None),
        ("until 2.13.1 there was one", None),
        ("slower than 2.13.1", None),
        ("the flag was added in 2.13.1", None),
        ("new in 2.13.1", None),
        ("available since 2.13.1", None),
        ("is it fixed in 2.13.1?", None),
    ],
)
def test_the_words_around_say_whether_it_is_run(text: str, found: Standing | None) -> None:
    assert standings(text) == {"2.13.1": found}


@pytest.mark.parametrize(
    ("version", "there", "can_be"),
    [
        ("0.34.0", ["0.33.0"], True),
        ("0.9", ["0.33.0"], True),
        ("1.0", ["0.33.0"], True),
        ("0.95", ["0.33.0"], False),
        ("1.26.4", ["0.33.0"], False),
        ("12.1", ["0.33.0"], False),
        ("3.11.7", ["4.7.0"], False),
        ("3.3.5", ["4.7.0"], True),
        ("3.11.7", ["3.10.0"], True),
        ("2019.2", ["3008.5"], True),
        ("12.4", ["3008.5"], False),
        ("0.0.0.0", [], False),
        ("550.54.15", [], False),
        ("1.4.2", [], True),
    ],
)
def test_a_bare_number_looks_like_the_releases_that_there_are(version: str, there: list[str], can_be: bool) -> None:
    assert plausible(Version(version), [Version(known) for known in there]) == can_be


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        ("v0.8.5", "0.8.5"),
        ("1.0.0rc1", "1.0rc1"),
        ("release/1.2", "1.2"),
        ("pkg-1.2.3", "1.2.3"),
        ("v1.2.3.post1", "1.2.3.post1"),
    ],
)
def test_a_tag_names_a_release(ref: str, number: str) -> None:
    assert release(ref) == Version(number)


@pytest.mark.parametrize("ref", ["main", "v1", "worktree", "feature-2", "v1.x", "1.2.three", "", "2026"])
def test_a_branch_names_none(ref: str) -> None:
    assert release(ref) is None


PIECES = st.sampled_from(
    "paperboat Paper-Boat v2.13.1 2.14 0.9 == : ( ) version -> to from upgraded running > ``` \n # ` 1.2.3.4 3.x + g1a"
    " https://x/paperboat/tree/v2.1 paperboat:2.13.1-slim Name: Version: __version__ --version ٣.٤ §".split(" ")
)


@settings(deadline=None)
@given(
    st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=30), st.sampled_from(["", " ", "\n"]), st.text(max_size=6)
)
def test_no_text_breaks_the_reading(pieces: list[str], joint: str, project: str) -> None:
    for name in ("paperboat", project):
        found = mentions(joint.join(pieces), name, KNOWN)
        assert [mention.at for mention in found] == sorted({mention.at for mention in found})


def test_an_endless_log_is_read_in_part() -> None:
    log = "waiting 2.5 s\n" * 10_000
    assert standings(f"paperboat 2.13.1\n{log}") == {"2.13.1": Standing.REPORTED}
    assert len(log) > LONGEST_READ
    assert standings(f"{log}\npaperboat 2.13.1") == {}
