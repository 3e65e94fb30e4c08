"""The page in a real browser, against the real service on loopback."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot import types as domain
from bot.adapters.http import PageOptions
from bot.answering import Answerer
from bot.history import History
from bot.lines import LineReader
from bot.model import Busy
from bot.observing import ObservedAnswerer
from bot.retrieval import index_of
from fakes.answerer import ScriptedAnswerer, Step
from fakes.browser import CHROMIUM, Visits, browsing
from fakes.library import REPOSITORY, Library
from fakes.repository import REPOSITORY as ENGINE
from fakes.repository import Repository
from indexer.sync import sync

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the page is not tested in a browser: no Chromium on PATH")

POOL: Final = "cache/pool.py"
POOL_LINES: Final = [f"slot_{number} = {number}" for number in range(1, 121)]
NARROW: Final = {"viewport": {"width": 360, "height": 720}}
REAL: Final = "how many blocks hold the tokens"
LONG: Final = "x" * 50_000
HOSTILE: Final = f"""<script>window.pwned = 1</script> <img src="https://evil.example/p.png" onerror="window.pwned = 1">

[click](javascript:window.pwned=1) ![i](data:image/svg+xml,<svg/onload=alert(1)>) \u202egnp.exe\u202c [1]

- <style>body {{ display: none }}</style> {LONG}

```html
<script>window.pwned = 1</script> {LONG}
```

| <b>a</b> | `{LONG}` |
|---|---|
| 1 | 2 |
"""


class Choosing:
    """Answers a question as its script says, any other one really."""

    def __init__(self, real: Answerer, scripts: Mapping[str, Sequence[Step]]) -> None:
        self.real = real
        self.scripted = {text: ScriptedAnswerer(*steps) for text, steps in scripts.items()}
        self.asked: list[domain.Question] = []

    def stream(self, question: domain.Question) -> AsyncGenerator[domain.Event]:
        self.asked.append(question)
        return self.scripted.get(question.text, self.real).stream(question)


@dataclass
class Stand:
    """A service with its page, and whoever answers there."""

    url: str
    answerer: Choosing
    history: History
    library: Library


def cited(library: Library, text: str, *spans: tuple[int, int], **changed: Any) -> domain.Answer:
    """An answer that cites lines of the pool."""
    url = "https://code.example/acme/demo/pool.py#L{0}-L{1}"
    citations = tuple(
        domain.Citation(n, POOL, *span, "Pool", url.format(*span)) for n, span in enumerate(spans, start=1)
    )
    index = index_of(library.retriever.snapshot())
    whole = domain.Answer("a1", text, citations, False, None, "stand-in", index)
    return replace(whole, **changed)


def scripts(library: Library) -> dict[str, list[Step]]:
    found = domain.PassagesFound((), index_of(library.retriever.snapshot()))

    def said(text: str, *spans: tuple[int, int], **changed: Any) -> list[Step]:
        blocks = [domain.Token(block) for block in re.split(r"(?<=\n\n)", text)]
        return [found, *blocks, cited(library, text, *spans, **changed)]

    return {
        "two": said("Slots are *numbered* [1].\n\n- low\n- high [2]\n\nMore [1].", (40, 42), (100, 100)),
        "warned": said("Words [1].", (1, 1), warnings=("The `model` is down.",)),
        "declined": said("I found nothing. The nearest places are [1].", (3, 4), declined=True, reason="not_found"),
        "hostile": said(HOSTILE, (1, 1)),
        "slow": [found, domain.Token("Half of it.\n\n"), 60.0, cited(library, "late")],
        "busy": [Busy()],
        "broken": [found, domain.Token("Half of it.\n\n"), RuntimeError("no")],
        "عربي: ما هو الحجم؟": said("الحجم ستة عشر [1].", (1, 1)),
        "gone": said(
            "It was here [1].", (1, 1), index=domain.Index(REPOSITORY, "v0", "dead" * 10, "2026-01-01T00:00:00Z", True)
        ),
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = Library.empty(tmp_path_factory.mktemp("stocked"))
    (made.folder / "cache").mkdir(parents=True)
    (made.folder / POOL).write_text("\n".join(POOL_LINES) + "\n")
    made.index()
    yield made
    made.close()


@pytest.fixture(scope="module")
def stand(stocked: Library, serve_long: Any, tmp_path_factory: pytest.TempPathFactory) -> Stand:
    history = History(f"sqlite:///{tmp_path_factory.mktemp('history') / 'history.sqlite'}")
    answerer = Choosing(Answerer(stocked.retriever), scripts(stocked))
    return Stand(served(serve_long, stocked, answerer, history), answerer, history, stocked)


def served(serve: Any, library: Library, answerer: Any, history: History | None = None, **options: Any) -> str:
    observers = [history.record] if history else []
    observed = ObservedAnswerer(answerer, "page", observers)
    page = PageOptions(observed, LineReader(library.stores, library.retriever), options.pop("origins", ()))
    client = serve(observed, over=library, page=page, history=history, **options)
    return str(client.base_url).rstrip("/")


@pytest.fixture
def visits(browser: Browser, stand: Stand) -> Iterator[Visits]:
    made = Visits(browser, stand.url)
    yield made
    made.close()
    assert made.faults == []


def ask(page: Page, question: str, until: str = ".read") -> Locator:
    """The turn of a question, when it is that far."""
    page.get_by_label("Question", exact=True).fill(question)
    page.keyboard.press("Enter")
    turn = page.locator(".turn").last
    expect(turn.locator(until)).to_be_visible()
    return turn


def overflows(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def test_a_question_is_answered_with_links_to_its_lines(visits: Visits, stand: Stand) -> None:
    page = visits.open()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Ask about {REPOSITORY}")
    turn = ask(page, REAL)
    expect(turn.get_by_role("heading", level=2)).to_have_text(REAL)
    expect(page.get_by_role("status").first).to_contain_text("The answer is here.")
    cite = turn.locator(".answer .cite").first
    expect(cite).to_have_accessible_name(re.compile(r"Source 1: cache/\w+\.py, lines? \d+"))


def test_a_citation_opens_its_lines_highlighted_in_their_file(visits: Visits) -> None:
    page = visits.open()
    turn = ask(page, "two")
    cite = turn.locator(".answer .cite").first
    cite.click()
    source = page.get_by_role("dialog")
    expect(source).to_have_accessible_name(re.compile(r"Source 1: cache/pool\.py"))
    expect(source.locator(".cited")).to_contain_text(POOL_LINES[39:42])
    numbers = source.locator(".line").evaluate_all("lines => lines.map(line => Number(line.dataset.line))")
    assert numbers == list(range(28, 55))
    expect(source.locator(".cited").first).to_be_in_viewport()
    link = source.get_by_role("link", name="Open on code.example")
    expect(link).to_have_attribute("href", "https://code.example/acme/demo/pool.py#L40-L42")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(turn.locator(".cite[aria-current]")).to_have_count(2)

    source.get_by_role("button", name="Show 24 more lines above").click()
    expect(source.locator(".line").first).to_contain_text(POOL_LINES[3])
    source.get_by_role("button", name="Show 3 more lines above").click()
    expect(source.get_by_role("button", name="above")).to_have_count(0)
    source.get_by_role("button", name="below").click()
    expect(source.locator(".line").last).to_contain_text(POOL_LINES[77])

    source.get_by_role("button", name="Next source").click()
    expect(source.locator(".cited")).to_contain_text([POOL_LINES[99]])
    expect(source).to_contain_text("Source 2 of 2")
    page.keyboard.press("Escape")
    expect(source).to_be_hidden()
    expect(cite).to_be_focused()


def test_lines_of_a_version_that_is_gone(visits: Visits) -> None:
    page = visits.open()
    turn = ask(page, "gone")
    expect(turn).to_contain_text("Its source has moved on since.")
    turn.locator(".place").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("cannot be shown here")
    expect(page.get_by_role("dialog").get_by_role("link")).to_be_visible()


def test_a_follow_up_sends_what_was_said_and_a_reload_restores_it(visits: Visits, stand: Stand) -> None:
    page = visits.open()
    ask(page, "two")
    ask(page, "warned")
    sent = stand.answerer.asked[-1].history
    assert [(turn.role, turn.content[:5]) for turn in sent] == [("user", "two"), ("assistant", "Slots")]
    expect(page.locator(".turn").last.get_by_role("note")).to_contain_text("The model is down.")
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").first.locator(".answer li")).to_have_text(["low", re.compile("high")])
    page.locator(".turn").first.locator(".cite").first.click()
    expect(page.get_by_role("dialog").locator(".cited")).to_contain_text(POOL_LINES[39:42])

    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(page.locator(".turn")).to_have_count(0)


NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('off', 'SecurityError') }})"
FULL_STORAGE = """
    const set = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, value) {
        if (value.length > 1500) throw new DOMException('full', 'QuotaExceededError');
        set.call(this, name, value);
    };
"""


@pytest.mark.parametrize("script, kept", [(NO_STORAGE, 0), (FULL_STORAGE, 1)])
def test_storage_that_is_off_or_full(visits: Visits, script: str, kept: int) -> None:
    context = visits.context()
    context.add_init_script(script)
    page = context.new_page()
    page.goto(visits.url)
    ask(page, "two")
    ask(page, "declined")
    expect(page.locator(".turn")).to_have_count(2)
    page.reload()
    expect(page.locator(".turn")).to_have_count(kept)


def test_what_was_kept_may_be_anything(visits: Visits) -> None:
    page = visits.open()
    ask(page, "two")
    for kept in (
        "{",
        "[1, null, {}]",
        '[{"question": "x", "answer": null, "nodes": [[[{"kind": "a"}]]], "warnings": []}]',
    ):
        page.evaluate("kept => localStorage.setItem('repopilot.conversation', kept)", kept)
        page.reload()
        expect(page.get_by_label("Question", exact=True)).to_be_visible()
    ask(page, "two")


def test_feedback_arrives(visits: Visits, stand: Stand) -> None:
    page = visits.open()
    turn = ask(page, REAL)
    down = turn.get_by_role("button", name="This did not help")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    turn.get_by_label("What is wrong or missing?").fill("It is 17.")
    turn.get_by_role("button", name="Send").click()
    expect(turn).to_contain_text("Thank you.")
    said = stand.history.feedback("", "9")[-1]
    assert (said.vote, said.comment) == ("down", "It is 17.")
    assert re.fullmatch(r"http:[0-9a-f]{32}", said.voter)
    page.reload()
    expect(page.get_by_role("button", name="This did not help")).to_have_attribute("aria-pressed", "true")


def test_an_answer_that_is_not_kept_cannot_be_judged(visits: Visits, stand: Stand) -> None:
    page = visits.open()
    turn = ask(page, "warned")
    stand.history.forget(-1)
    turn.get_by_role("button", name="This helped").click()
    expect(turn).to_contain_text("not kept any more")


def test_a_key_is_asked_for_once(browser: Browser, stand: Stand, serve: Any) -> None:
    visits = Visits(browser, served(serve, stand.library, stand.answerer, api_token="sesame"))
    page = visits.open()
    field = page.get_by_label("Key", exact=True)
    expect(field).to_be_focused()
    field.fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("That key was not accepted.")).to_be_visible()
    field.fill("sesame")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Ask about {REPOSITORY}")
    turn = ask(page, "two")
    turn.locator(".cite").first.click()
    expect(page.locator(".cited")).to_have_count(3)
    page.keyboard.press("Escape")
    page.reload()
    ask(page, "declined")
    assert page.evaluate("[sessionStorage['repopilot.key'], localStorage['repopilot.key']]") == ["sesame", None]

    page.get_by_role("button", name="Forget the key").click()
    page.get_by_label("Question", exact=True).fill("two")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    field.fill("sesame")
    page.get_by_label("Remember").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".turn").last.locator(".read")).to_be_visible()
    assert page.evaluate("[sessionStorage['repopilot.key'], localStorage['repopilot.key']]") == [None, "sesame"]
    visits.close()
    assert visits.faults == []


def test_a_page_that_is_open_needs_no_key(browser: Browser, stand: Stand, serve: Any) -> None:
    visits = Visits(browser, served(serve, stand.library, stand.answerer, api_token="sesame", page_open=True))
    page = visits.open()
    ask(page, "two").locator(".cite").first.click()
    expect(page.locator(".cited")).to_have_count(3)
    visits.close()


@pytest.mark.parametrize(
    "question, title, button",
    [
        ("busy", "The model is busy", re.compile(r"Ask again in \d+ s")),
        ("broken", "That did not work", "Ask again"),
    ],
)
def test_an_answer_that_fails(visits: Visits, question: str, title: str, button: Any) -> None:
    page = visits.open()
    turn = ask(page, question, until=".note")
    expect(turn.get_by_role("alert")).to_contain_text(title)
    expect(turn.get_by_role("button", name=button)).to_be_visible()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    page.reload()
    expect(page.locator(".turn")).to_contain_text("Not answered")


def test_too_many_questions_wait(browser: Browser, stand: Stand, serve: Any) -> None:
    url = served(serve, stand.library, stand.answerer, per_client_per_minute=2)
    visits = Visits(browser, url)
    page = visits.open()
    expect(page.get_by_role("heading", level=1)).to_contain_text(REPOSITORY)
    ask(page, "declined")
    again = ask(page, "two", until=".note").get_by_role("button", name="Ask again in")
    expect(again).to_be_disabled()
    before = again.inner_text()
    expect(again).not_to_have_text(before)
    visits.close()


def test_nothing_is_indexed(browser: Browser, serve: Any, tmp_path: Any) -> None:
    empty = Library.empty(tmp_path)
    visits = Visits(browser, served(serve, empty, Answerer(empty.retriever)))
    page = visits.open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is indexed yet")
    turn = ask(page, "two", until=".note")
    expect(turn).to_contain_text("repopilot index SOURCE")
    visits.close()
    empty.close()


def test_offline_and_back(visits: Visits) -> None:
    page = visits.open()
    expect(page.get_by_role("heading", level=1)).to_contain_text(REPOSITORY)
    page.context.set_offline(True)
    turn = ask(page, "two", until=".note")
    expect(turn).to_contain_text("You are offline")
    page.context.set_offline(False)
    turn.get_by_role("button", name="Ask again").click()
    expect(turn.locator(".read")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(1)


def test_an_answer_can_be_stopped(visits: Visits, stand: Stand) -> None:
    page = visits.open()
    turn = ask(page, "slow", until=".answer p")
    expect(turn).to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Stop").click()
    expect(turn).to_contain_text("Stopped")
    expect(turn.locator(".answer")).to_have_text("Half of it.")
    assert stand.answerer.scripted["slow"].closed.wait(5)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()


@pytest.mark.parametrize("options", [{}, NARROW])
def test_what_a_model_says_stays_text(visits: Visits, options: dict[str, Any]) -> None:
    page = visits.open(**options)
    page.on("dialog", lambda dialog: visits.faults.append("a dialog"))
    body = ask(page, "hostile").locator(".answer")
    expect(body.locator("pre")).to_contain_text("<script>window.pwned = 1</script>")
    assert page.evaluate("window.pwned") is None
    assert body.locator("script, img, iframe, style, a, svg:not(.icon)").count() == 0
    assert "\u202e" not in body.inner_text()
    assert not overflows(page)


def test_declining_is_calm(visits: Visits) -> None:
    page = visits.open()
    turn = ask(page, "declined")
    expect(turn.get_by_role("heading", level=3)).to_have_text("Nearest places")
    expect(turn.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("status").first).to_contain_text("No answer was found.")


def test_a_link_fills_in_a_question_and_asks_nothing(visits: Visits, stand: Stand) -> None:
    before = len(stand.answerer.asked)
    page = visits.open("/?q=two%20%3Cb%3E&repository=acme%2Fdemo")
    expect(page.get_by_label("Question", exact=True)).to_have_value("two <b>")
    expect(page.get_by_role("heading", level=1)).to_contain_text(REPOSITORY)
    assert len(stand.answerer.asked) == before


def test_answers_and_links_can_be_copied(visits: Visits) -> None:
    page = visits.open(permissions=["clipboard-read", "clipboard-write"])
    turn = ask(page, "two")
    turn.get_by_role("button", name="Copy answer").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Slots are *numbered* [1].\n\n- low\n- high [2]")
    assert "[1] [`cache/pool.py` lines 40–42](<https://code.example/acme/demo/pool.py#L40-L42>)" in copied
    turn.get_by_role("button", name="Copy a link to this question").click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{visits.url}/?q=two&repository=acme%2Fdemo"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Two versions of one repository, and another repository, which answers by default."""
    folder = tmp_path_factory.mktemp("several")
    made = Library.empty(folder)
    engine = Repository(folder / "engine")
    engine.commit({"engine.py": "CYLINDERS = 4\n"})
    engine.commit({"engine.py": "CYLINDERS = 6\n"}, branch="next")
    for ref in ("main", "next"):
        sync(engine.source(ref), made.stores, made.embedder)
    made.index()
    yield made
    made.close()


def test_what_is_asked_about_can_be_chosen(browser: Browser, serve: Any, several: Library) -> None:
    answerer = Choosing(Answerer(several.retriever), {})
    visits = Visits(browser, served(serve, several, answerer))
    page = visits.open()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Ask about {REPOSITORY}")
    expect(page.get_by_label("Version")).to_be_hidden()
    page.get_by_label("Repository").select_option(ENGINE)
    page.get_by_label("Version").select_option("next")
    expect(page.get_by_text("next, 1 file, read just now")).to_be_visible()
    turn = ask(page, "cylinders")
    expect(turn.locator(".read")).to_contain_text(f"{ENGINE} next")
    assert (answerer.asked[-1].repository, answerer.asked[-1].ref) == (ENGINE, "next")
    visits.close()


def test_an_address_may_name_what_is_asked_about(browser: Browser, serve: Any, several: Library) -> None:
    answerer = Choosing(Answerer(several.retriever), {})
    visits = Visits(browser, served(serve, several, answerer))
    page = visits.open(f"/?repository={ENGINE.upper()}&ref=next")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Ask about {ENGINE}")
    expect(page.get_by_label("Version")).to_have_value("next")
    page = visits.open("/?repository=acme/nowhere&q=x")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask about acme/nowhere")
    expect(ask(page, "cylinders", until=".note")).to_contain_text("That version is not indexed")
    visits.close()


def test_the_theme_is_the_systems_or_what_was_chosen(visits: Visits) -> None:
    page = visits.open(color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(16, 18, 22)"
    page.get_by_role("button", name="Use the light theme").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.reload()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    expect(page.get_by_role("button", name="Use the dark theme")).to_be_visible()


def test_a_question_from_right_to_left(visits: Visits) -> None:
    page = visits.open()
    turn = ask(page, "عربي: ما هو الحجم؟")
    direction = "element => getComputedStyle(element).direction"
    assert turn.get_by_role("heading", level=2).evaluate(direction) == "rtl"
    assert turn.locator(".answer p").first.evaluate(direction) == "rtl"


def test_the_keyboard_alone_will_do(visits: Visits) -> None:
    page = visits.open()
    skip = page.get_by_role("link", name="Skip to the question")
    for _ in range(9):
        page.keyboard.press("Shift+Tab")
        if skip.evaluate("link => link === document.activeElement"):
            break
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    page.keyboard.type("first line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    expect(page.get_by_label("Question", exact=True)).to_have_value("first line\nsecond")
    turn = ask(page, "two")
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.place')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#source-title")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Close the source")).to_be_focused()
    page.keyboard.press("Enter")
    expect(turn.locator(".place").last).to_be_focused()


def test_on_a_phone_a_source_is_a_sheet(visits: Visits) -> None:
    page = visits.open(**NARROW)
    turn = ask(page, "two")
    assert not overflows(page)
    turn.locator(".cite").first.click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator(".cited").first).to_be_visible()
    assert sheet.evaluate("element => element.matches(':modal')")
    assert not overflows(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(sheet).to_be_visible()
    assert not sheet.evaluate("element => element.matches(':modal')")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
