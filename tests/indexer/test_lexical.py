from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fakes.disk import small_disk
from indexer.errors import IndexDamaged, StorageError
from indexer.lexical import MOST_QUERY_TERMS, LexicalDocument, LexicalIndex, lexical_document, query_terms
from indexer.types import Chunk


def document(chunk_id: int, text: str, symbol: str = "", path: str = "") -> tuple[int, LexicalDocument]:
    return chunk_id, lexical_document(path, "code", Chunk(1, 1, text, symbol))


DEFINITION = document(1, "def allocate_slots(self): free the oldest block", "KVCacheManager.allocate_slots", "a.py")
MENTION = document(2, "manager.allocate_slots(request) # allocate_slots is called here", "Scheduler.run", "b.py")
PROSE = document(3, "Blocks are freed when the scheduler is preempting requests", "Guide", "docs/guide.md")
OTHER = document(4, "request request request scheduler", "", "scheduler/config.py")


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    made = LexicalIndex.create(tmp_path / "terms")
    with made.writing() as writer:
        writer.add([DEFINITION, MENTION, PROSE, OTHER])
    return made


def found(index: LexicalIndex, query: str, limit: int = 10) -> list[int]:
    return [chunk_id for chunk_id, _ in index.search(query, limit)]


def test_a_definition_is_better_than_a_mention(index: LexicalIndex) -> None:
    assert found(index, "Where is allocate_slots defined?") == [1, 2]


def test_a_rare_word_says_more_than_a_common_one(index: LexicalIndex) -> None:
    with index.writing() as writer:
        writer.add(document(n, "a request comes and goes") for n in range(10, 30))
    assert found(index, "requests that are preempted")[0] == 3


def test_a_path_that_names_the_thing_speaks_for_it(index: LexicalIndex) -> None:
    assert found(index, "scheduler config")[0] == 4


@pytest.mark.parametrize("asked", ["freeing a block", "free blocks", "FREED BLOCK"])
def test_words_meet_in_their_stems(index: LexicalIndex, asked: str) -> None:
    assert set(found(index, asked)) == {1, 3}


def test_scores_fall_and_the_limit_holds(index: LexicalIndex) -> None:
    hits = index.search("scheduler request allocate_slots", 3)
    assert len(hits) == 3
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)


@pytest.mark.parametrize("asked", ["", "how does it work?", "?!", "zebra", "a" * 5_000, 'AND OR NOT +( " ^2 title:x *'])
def test_a_question_that_says_nothing_finds_nothing(index: LexicalIndex, asked: str) -> None:
    assert found(index, asked) == []


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    assert found(LexicalIndex.create(tmp_path / "terms"), "block") == []


def test_a_question_keeps_each_term_that_says_something_once() -> None:
    assert query_terms("How do I use the --kv-cache flag? The kv cache!") == ["kv", "cache", "kv_cache", "flag"]


def test_a_long_pasted_log_finds_the_rare_words_that_are_indexed(index: LexicalIndex) -> None:
    noise = "\n".join(
        f"INFO 11-29 12:00:{n % 60} pid={n * 7919} 0x{n * 2654435761:x} request {n}" for n in range(3_000)
    )
    assert len(query_terms(noise)) > 50 * MOST_QUERY_TERMS
    assert found(index, f"{noise}\nError in allocate_slots\n{noise}", 2) == [1, 2]


def test_only_the_rarest_of_many_indexed_words_are_searched(tmp_path: Path) -> None:
    index = LexicalIndex.create(tmp_path / "terms")
    common = " ".join(f"common{n}" for n in range(MOST_QUERY_TERMS))
    with index.writing() as writer:
        writer.add(document(n, common) for n in range(20))
        writer.add([document(99, "needle")])
    assert found(index, f"{common} needle", 1) == [99]


def test_a_term_in_fewer_chunks_is_rarer(index: LexicalIndex) -> None:
    rarity = index.rarity("preempting the scheduler's zebra, or allocate_slots?")
    assert rarity.keys() == {"preempt", "schedul", "zebra", "alloc", "slot", "allocate_slot"}
    assert rarity["zebra"] > rarity["preempt"] > rarity["schedul"] > 0
    assert index.rarity("how does it?") == {}


def test_of_a_long_question_some_terms_are_weighed(index: LexicalIndex) -> None:
    assert len(index.rarity(" ".join(f"word{n}" for n in range(2 * MOST_QUERY_TERMS)))) == MOST_QUERY_TERMS


def test_rarity_in_an_empty_index_is_no_error(tmp_path: Path) -> None:
    assert LexicalIndex.create(tmp_path / "terms").rarity("block") == {"block": pytest.approx(0.693, abs=1e-3)}


def test_stems_are_those_of_the_index(index: LexicalIndex) -> None:
    assert index.stems("Freed blocks are the `allocate_slots`") == {"freed", "block", "alloc", "slot", "allocate_slot"}
    assert index.stems("") == index.stems("how does it") == set()
    assert index.stems(PROSE[1].body) >= index.stems("blocks preempting")


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("block", True),
        ("blocks", True),
        ("preempted", True),
        ("kvcachemanager", True),
        ("config", True),
        ("zebra", False),
    ],
)
def test_a_word_occurs_in_text_names_or_paths(index: LexicalIndex, word: str, there: bool) -> None:
    assert index.occurs(word) is there


def test_a_stem_occurs_where_its_word_does(index: LexicalIndex) -> None:
    assert all(index.occurs(stem) for stem in index.stems("preempting the freed requests of schedulers"))


def test_chunks_hold_all_words_of_a_name_or_are_not_found(index: LexicalIndex) -> None:
    assert set(index.holding_parts("allocate_slots", 10)) == {1, 2}
    assert index.holding_parts("free_the_block", 10) == index.holding_parts("oldest", 10) == [1]  # part of other words
    assert index.holding_parts("allocate_zebra", 10) == index.holding_parts("", 10) == []
    assert len(index.holding_parts("request", 1)) == 1


def test_deleted_chunks_are_not_found(index: LexicalIndex) -> None:
    with index.writing() as writer:
        writer.delete([1, 3, 77])
    assert found(index, "allocate_slots block") == [2]


def test_changes_are_committed_together_or_not_at_all(index: LexicalIndex) -> None:
    with pytest.raises(RuntimeError, match="in the middle"), index.writing() as writer:
        writer.add([document(5, "zebra")])
        writer.delete([1])
        raise RuntimeError("in the middle")
    assert found(index, "zebra") == []
    assert found(index, "allocate_slots") == [1, 2]
    with index.writing() as writer:
        writer.add([document(5, "zebra")])
    assert found(index, "zebra") == [5]


def test_an_open_reader_sees_a_commit_and_nothing_before_it(index: LexicalIndex, tmp_path: Path) -> None:
    reader = LexicalIndex(tmp_path / "terms")
    with index.writing() as writer:
        writer.add([document(5, "zebra")])
        writer.delete([1])
        assert found(reader, "zebra") == []
        assert found(reader, "allocate_slots") == [1, 2]
    assert found(reader, "zebra") == [5]
    assert found(reader, "allocate_slots") == [2]


def test_a_missing_index_is_damage_and_is_not_made_anew(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match=r"terms cannot be read .*--full"):
        LexicalIndex(tmp_path / "terms")
    (tmp_path / "terms").mkdir()
    with pytest.raises(IndexDamaged, match="it is missing"):
        LexicalIndex(tmp_path / "terms")
    assert not list((tmp_path / "terms").iterdir())


def test_an_index_that_is_deleted_while_it_is_open_is_damage(index: LexicalIndex, tmp_path: Path) -> None:
    subprocess.run(["rm", "-r", str(tmp_path / "terms")], check=True)
    with pytest.raises(IndexDamaged, match="cannot be read"):
        index.search("block", 10)


@pytest.mark.parametrize("torn", ["meta.json", ".term", ".idx"])
def test_a_torn_index_is_damage(index: LexicalIndex, tmp_path: Path, torn: str) -> None:
    for file in (tmp_path / "terms").iterdir():
        if file.name.endswith(torn):
            file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(IndexDamaged, match="terms cannot be read"):
        LexicalIndex(tmp_path / "terms").search("block", 10)


def test_a_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "256k") as resize:
        index = LexicalIndex.create(tmp_path / "disk" / "terms")
        with index.writing() as writer:
            writer.add([DEFINITION])
        words = (" ".join(f"w{n}x{m}" for n in range(500)) for m in range(200))
        with pytest.raises(StorageError, match=r"terms cannot be written .*free space"), index.writing() as writer:
            writer.add(document(n, body) for n, body in enumerate(words, 10))
        assert found(index, "allocate_slots") == [1]
        resize("32m")
        with index.writing() as writer:
            writer.add([MENTION])
        assert found(index, "allocate_slots") == [1, 2]
