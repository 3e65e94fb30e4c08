"""Operators of section F on what people see of an index: search results, permalinks, headings and anchors."""

from __future__ import annotations

import re
from urllib.parse import unquote

from cases.expectations import Check, Operators, expected, operand
from cases.indexer_observation import IndexObservation, headings, names

OPERATORS: Operators[IndexObservation] = Operators()
URL_SAFE = re.compile(r"https?://[A-Za-z0-9\-._~:/?#@!$&'*+,;=%]+")  # RFC 3986 without what Markdown reads as markup


@OPERATORS.operator
def search_finds(seen: IndexObservation, check: Check) -> str | None:
    """A passage of `path` (that names `symbol` or holds `text`, within the first `rank_max`) is found."""
    passages = seen.passages(check["query"])[: check.get("rank_max") or check.get("limit")]
    path, symbol, text = check.get("path"), check.get("symbol"), check.get("text")
    for passage in passages:
        fits = path in (None, passage["path"]) and (symbol is None or names(passage, symbol))
        if fits and (text is None or text in passage["text"]):
            return None
    return f"expected {path or symbol or text} got {[passage['path'] for passage in passages]}"


@OPERATORS.operator
def search_finds_not(seen: IndexObservation, check: Check) -> str | None:
    """No passage of `path`; without a path, none whose text, path or symbol holds the query itself."""
    query, path = check["query"].casefold(), check.get("path")
    for passage in seen.passages(check["query"]):
        held = "\n".join((passage["path"], passage.get("symbol") or "", passage["text"])).casefold()
        if passage["path"] == path if path else query in held:
            return f"{passage['path']}:{passage['start_line']} was found"
    return None


@OPERATORS.operator
def rank_below(seen: IndexObservation, check: Check) -> str | None:
    ranks = [passage["path"] for passage in seen.passages(check["query"])]
    if check["than"] not in ranks:
        return f"{check['than']} was not found, only {ranks}"
    fine = check["path"] not in ranks or ranks.index(check["path"]) > ranks.index(check["than"])
    return None if fine else f"got {ranks}"


@OPERATORS.operator
def rank_above(seen: IndexObservation, check: Check) -> str | None:
    return rank_below(seen, {**check, "path": check["than"], "than": check["path"]})


@OPERATORS.operator
def search_results_distinct_text(seen: IndexObservation, check: Check) -> str | None:
    texts = [passage["text"] for passage in seen.passages(check["query"])]
    if not texts:
        return "nothing was found"
    return f"{len(texts) - len(set(texts))} passages repeat a text" if len(set(texts)) < len(texts) else None


@OPERATORS.operator
def link_endswith(seen: IndexObservation, check: Check) -> str | None:
    """The permalink without its fragment ends so; characters that may stand literally in a path may be escaped."""
    urls = [chunk["url"] for chunk in seen.of(check["path"])]
    wrong = [url for url in urls if not _literal(url.split("#")[0]).endswith(_literal(check["value"]))]
    return expected(check["value"], wrong[0]) if wrong else None if urls else f"{check['path']} has no chunk"


def _literal(url: str) -> str:
    """The URL with the escapes of RFC 3986 sub-delimiters undone: `%2B` and `+` are the same in a path."""
    return re.sub(r"%(?:21|24|2[6-9A-C]|3[ABD]|40)", lambda escape: unquote(escape[0]), url, flags=re.IGNORECASE)


@OPERATORS.operator
def links_pinned_to(seen: IndexObservation, check: Check) -> str | None:
    commit = seen.revision(check.get("rev") or operand(check))
    urls = [chunk["url"] for chunk in seen.chunks if f"/blob/{commit}/" not in (chunk["url"] or "")]
    if not commit or seen.report.get("commit") != commit:
        return expected(commit, seen.report.get("commit"))
    return f"{urls[0]} is not pinned to {commit}" if urls else None if seen.chunks else "there is no chunk"


@OPERATORS.operator
def path_never_breaks_markup(seen: IndexObservation, check: Check) -> str | None:
    """Links hold no character that ends a Markdown link, and no log line is broken by a path."""
    unsafe = [c["url"] for c in seen.chunks if c["url"] and not URL_SAFE.fullmatch(c["url"])]
    if unsafe:
        return f"unsafe link {unsafe[0]!r}"
    paths = {chunk["path"] for chunk in seen.chunks} | seen.skipped.keys()
    broken = [path for path in paths if re.search(r"[\x00-\x1f\x7f]", path) and path in seen.last.stderr]
    return f"the log writes {broken[0]!r} as it is" if broken else None


@OPERATORS.operator
def heading_path(seen: IndexObservation, check: Check) -> str | None:
    got = [chunk["symbol"] for chunk in seen.with_text(check["path"], check["text"])]
    return None if set(got) & set(check["heading_any"]) else expected(check["heading_any"], got)


@OPERATORS.operator
def no_heading(seen: IndexObservation, check: Check) -> str | None:
    words = operand(check)
    found = [path for path in headings(seen.of(check["path"])) if words in path[-1]]
    return f"{' > '.join(found[0])} is taken for a heading" if found else None


@OPERATORS.operator
def headings_equal(seen: IndexObservation, check: Check) -> str | None:
    got = [path[-1] for path in headings(seen.of(check["path"]))]
    return None if got == operand(check) else expected(operand(check), got)


@OPERATORS.operator
def anchor(seen: IndexObservation, check: Check) -> str | None:
    """The heading above the text has these anchors, one for each site (`github`, `mkdocs`) that the check names."""
    wanted = {site: value for site, value in check.items() if site not in ("op", "path", "text", "severity", "note")}
    got = [chunk.get("anchors") or {} for chunk in seen.with_text(check["path"], check["text"])]
    fits = any(all(anchors.get(site) == value for site, value in wanted.items()) for anchors in got)
    return None if fits else expected(wanted, got)


@OPERATORS.operator
def relative_links_resolve(seen: IndexObservation, check: Check) -> str | None:
    """Each target in the document leads to this path of the repository."""
    got = _links(seen, check["path"])
    wrong = {target: got.get(target) for target, path in check["map"].items() if got.get(target) != path}
    return expected(check["map"], wrong) if wrong else None


@OPERATORS.operator
def no_link_escapes_repo(seen: IndexObservation, check: Check) -> str | None:
    """A target above the root leads nowhere, and no permalink climbs out of the repository."""
    target = operand(check)
    for path in {chunk["path"] for chunk in seen.chunks}:
        if led := _links(seen, path).get(target):
            return f"{target} leads to {led}"
    climbing = [chunk["url"] for chunk in seen.chunks if "/../" in unquote(chunk["url"] or "")]
    return f"{climbing[0]} climbs out" if climbing else None if seen.chunks else "there is no chunk"


def _links(seen: IndexObservation, path: str) -> dict[str, str | None]:
    return {target: led for chunk in seen.of(path) for target, led in (chunk.get("links") or {}).items()}
