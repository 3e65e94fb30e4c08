"""Titles and introductions wait for what they lead to; code and items without a source, for their citation."""

from __future__ import annotations

from bot.grounding.flow import Flow
from bot.markdown import Node, markdown, parse


def block(text: str) -> Node:
    (node,) = parse(text).children
    return node


PAGES, DISK, SUB = block("# Pages"), block("# Disk"), block("## Sub")
LEAD, CITED_LEAD, TEXT = block("To do so:"), block("To do so [3]:"), block("It is 16 [2].")
ITEM, FENCE = block("- one"), block("```\nx\n```")


def shown(flow: Flow, node: Node) -> list[str]:
    return [markdown(found) for found in flow.kept(node, [node])]


def waiting(flow: Flow) -> list[Node]:
    return flow.waiting


def after(*nodes: Node) -> Flow:
    flow = Flow()
    for node in nodes:
        flow.wait(node, [node])
    return flow


def test_what_waits_is_shown_once_with_what_follows() -> None:
    flow = after(PAGES, SUB, LEAD)
    assert shown(flow, TEXT) == ["# Pages", "## Sub", "To do so:", "It is 16 [2]."]
    assert shown(flow, TEXT) == ["It is 16 [2]."]


def test_a_title_takes_the_place_of_those_that_are_not_above_it() -> None:
    assert waiting(after(PAGES, SUB, DISK)) == [DISK] and waiting(after(PAGES, LEAD, SUB)) == [PAGES, SUB]
    flow = after(PAGES, SUB)
    flow.wait(DISK, [])  # one that may not be shown
    assert waiting(flow) == [] and not flow.said


def test_an_introduction_goes_with_what_it_announces_and_a_title_does_not() -> None:
    flow = after(PAGES, LEAD)
    flow.dropped(TEXT)
    assert shown(flow, TEXT) == ["# Pages", "It is 16 [2]."]


def test_what_announced_a_list_waits_for_its_next_item() -> None:
    flow = after(LEAD)
    flow.dropped(ITEM)
    assert shown(flow, ITEM) == ["To do so:", "- one"]
    flow = after(LEAD)
    flow.dropped(ITEM)
    assert shown(flow, TEXT) == ["It is 16 [2]."]


def test_it_is_known_whether_something_follows_what_announced_it() -> None:
    for dropped, follows, followed in (
        (None, ITEM, True),
        (ITEM, ITEM, True),
        (ITEM, TEXT, False),
        (TEXT, ITEM, False),
    ):
        flow = Flow()
        flow.kept(CITED_LEAD, [CITED_LEAD])
        if dropped:
            flow.dropped(dropped)
        flow.kept(follows, [follows])
        assert flow.followed is followed
    flow = after(LEAD)
    flow.kept(ITEM, [ITEM])
    assert not flow.followed  # the introduction is shown with it


def test_the_numbers_of_an_introduction_are_near_until_the_next_paragraph() -> None:
    flow = Flow(near=(1,))
    flow.kept(CITED_LEAD, [CITED_LEAD])
    assert flow.around() == (1, 3)
    flow.dropped(ITEM)
    flow.kept(ITEM, [ITEM])
    assert flow.around() == (1, 3)
    flow.kept(TEXT, [TEXT])
    assert flow.around() == (1,)
    nested = Flow(nested=True)
    nested.kept(TEXT, [TEXT])
    assert nested.around() == (2,)  # what an item says first is near all of it


def test_what_cites_nothing_may_yet_be_proved() -> None:
    flow = Flow()
    for node in (ITEM, FENCE):
        flow.dropped(node)
    assert flow.unproven == [ITEM, FENCE] and not flow.said
    flow.dropped(block("- two [1]"))
    assert flow.unproven == []
    flow.dropped(ITEM)
    flow.kept(TEXT, [TEXT])
    assert flow.unproven == [] and flow.last == TEXT and flow.said
