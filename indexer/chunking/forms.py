"""Languages without a usable grammar: how their definitions begin, a few patterns each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Form:
    """One sort of definition. `head` matches how it begins, with its names in the group `name`; `owner` is put before.

    To it belong the rows that are indented deeper than the first, and those just as deep that `rest` matches. A class
    and a function lend their names to what they hold; a definition inside of a function is left out. Case does not
    matter unless a pattern says so.
    """

    kind: Literal["class", "function", "definition"]
    head: str
    rest: str = r"[{})\]]"


_FAR_LEFT: Final = r"(?<![ \t])"
_NO_TAB: Final = r"(?<!\t)"
# In Docker's language a row may go on after a backslash.
_GAP: Final = r"(?:[ \t]|\\\r?\n)+"
# Nomad's and Terraform's texts may stand as far left as the block they are in.
_HCL_REST: Final = r"(?![\w-]+(?:[ \t]+(?:\"[^\"\n]*\"|[\w-]+))*[ \t]*(?:\{|=))"
_TARGET: Final = r"(?:[\w./%+@~*?-]|\$\([^)\n]*\)|\$\{[^}\n]*\})++"
_SQL_KIND: Final = (
    "(?:TABLE|VIEW|FUNCTION|PROC(?:EDURE)?|INDEX|TYPE|TRIGGER|SCHEMA|SEQUENCE|DOMAIN|AGGREGATE|DATABASE|POLICY|MACRO)"
)
_SQL_PART: Final = r"(?:\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\]|[\w$#@]+)"
_SQL_STATEMENT: Final = (
    "(?:CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|MERGE|TRUNCATE|GRANT|REVOKE|COMMENT|COMMIT|USE|GO|DELIMITER|PRAGMA|CALL"
    r"|EXEC(?:UTE)?)\b"
)
_WGSL_ATTRIBUTES: Final = r"(?:@\w+(?:\([^)\n]*\))?\s*)*"
_DART_STATEMENT: Final = r"(?:await|return|throw|else|new|const|case|yield|assert|in|if|for|while|switch|catch)\b"

FORMS: Final[Mapping[str, Sequence[Form]]] = {
    "cmake": (
        Form("function", r"(?:function|macro)\s*\(\s*(?P<name>\w+)", r"\)|end(?:function|macro)"),
        Form(
            "definition",
            # Projects have their own commands that end in these words.
            r"\w{0,40}(?:add|define)_(?:\w{1,40}_)?(?:library|executable|target|module|extension)"
            r"\s*\(\s*(?P<name>[\w.:+-]+)(?=[\s)])",
        ),
        Form("definition", r"(?:FetchContent_Declare|ExternalProject_Add)\s*\(\s*(?P<name>[\w.+-]+)"),
        Form("definition", r"(?:project|option|cmake_dependent_option|set)\s*\(\s*(?P<name>[\w.+-]+)(?=[\s)])"),
    ),
    "cython": (
        Form(
            "class",
            r"(?:(?:cdef|ctypedef|public|api|packed)[ \t]+)*(?:class|cppclass|struct|union|enum(?:[ \t]+class)?)"
            r"[ \t]+(?P<name>\w+)",
        ),
        Form("function", r"(?:async[ \t]+)?def[ \t]+(?P<name>\w+)", r"[)\]]"),
        Form("function", r"cp?def[ \t](?:[^\[\](){}=:#\n]|\[[^\]\n]*\])*?\b(?P<name>\w+)[ \t]*\(", r"[)\]]"),
    ),
    "dart": (
        Form(
            "class",
            r"(?:(?:abstract|base|final|sealed|interface|mixin)[ \t]+)*(?:class|mixin|enum|extension(?:[ \t]+type)?)"
            r"[ \t]+(?P<name>(?!on\b)\w+)",
        ),
        Form("function", rf"(?!{_DART_STATEMENT})[\w<>?,.\[\] ]+[ \t](?P<name>\w+)(?:<[^>\n]*>)?\("),
        Form("function", r"(?:[\w<>?,.\[\] ]+[ \t])?get[ \t]+(?P<name>\w+)[ \t]*(?:=>|\{|async|sync)"),
    ),
    "dockerfile": (
        Form("class", rf"FROM{_GAP}(?:--\S+{_GAP})?\S+{_GAP}AS{_GAP}(?P<name>[\w.-]+)", r"(?!FROM\b)"),
        Form("definition", r"(?:ARG|ENV)[ \t]+(?P<name>\w+)"),
        # Further rows of ENV.
        Form("definition", r"(?<=[ \t])(?P<name>(?-i:[A-Z_])\w*)=(?:\"[^\"\n]*\"|[^\s\"]*)[ \t]*\\?\r?$"),
    ),
    "hcl": (
        # What Terraform itself calls `aws_instance.web`.
        Form("function", rf"{_FAR_LEFT}resource[ \t]+\"(?P<owner>[\w-]+)\"[ \t]+\"(?P<name>[\w-]+)\"", _HCL_REST),
        Form(
            "function",
            rf"{_FAR_LEFT}(?!resource\b)(?P<owner>\w+(?:[ \t]+\"[\w./-]+\")?)[ \t]+\"?(?P<name>[\w./-]+)\"?[ \t]*\{{",
            _HCL_REST,
        ),
        Form("class", rf"{_FAR_LEFT}(?P<name>locals)[ \t]*\{{", _HCL_REST),
        Form("function", rf"{_FAR_LEFT}(?P<name>(?!locals\b)\w+)[ \t]*\{{", _HCL_REST),
        Form("definition", r"(?:(?<![ \t])|(?<=\n  ))(?P<name>[\w-]+)[ \t]*=(?!=)"),
    ),
    "makefile": (
        Form("function", r"define[ \t]+(?P<name>[\w.-]+).*(?:\n(?!endef\b).*)*+(?:\nendef)?"),
        Form(
            "definition",
            rf"{_NO_TAB}(?!\.(?-i:[A-Z])|(?:vpath|include|export)\b)"
            rf"(?P<name>{_TARGET}(?:[ \t]+{_TARGET})*+)[ \t]*:(?!:?:?=)",
        ),
        Form("definition", rf"{_NO_TAB}(?:(?:export|override)[ \t]+)*(?P<name>[\w.-]+)[ \t]*(?:\?|!|:{{1,3}})?="),
    ),
    "perl": (
        Form("class", r"package[ \t]+(?P<name>[\w:]+)[^;{\n]*;", r"(?!package\b|__(?:END|DATA)__)"),
        Form("class", r"(?:package|class|role)[ \t]+(?P<name>[\w:]+)[^;{\n]*\{"),
        Form("function", r"(?:sub|method|fun)[ \t]+(?P<name>\w+)"),
        Form("definition", rf"{_FAR_LEFT}(?:our|my)[ \t]+[$@%](?P<name>\w+)"),
        Form("definition", r"use[ \t]+constant[ \t]+(?P<name>\w+)"),
        Form("definition", rf"{_FAR_LEFT}has[ \t]+[\"']?(?P<name>\w+)"),
    ),
    "proto": (
        Form("class", r"(?:message|enum|service)[ \t]+(?P<name>\w+)"),
        Form("definition", r"rpc[ \t]+(?P<name>\w+)"),
        Form(
            "definition",
            r"(?:(?:repeated|optional|required)[ \t]+)?(?!option\b)(?:map[ \t]*<[^>\n]*>|[\w.]+)[ \t]+(?P<name>\w+)"
            r"[ \t]*=[ \t]*\d",
        ),
        Form("definition", r"(?P<name>(?-i:[A-Z])\w*)[ \t]*=[ \t]*-?\d"),
    ),
    "r": (
        Form("class", r"(?P<name>[\w.]+)[ \t]*(?:<<?-|=)[ \t]*(?:R6::)?(?:R6Class|setRefClass)\("),
        Form("function", r"(?P<name>[\w.]+)[ \t]*(?:<<?-|=)[ \t]*(?:function\b|\\\()"),
        Form("definition", rf"{_FAR_LEFT}(?P<name>[\w.]+)[ \t]*(?:<<?-|=(?!=))(?![ \t]*(?:function\b|\\\(|R6|setRef))"),
        Form("definition", r"set(?:Class|Generic|Method|Validity)\(\s*[\"'](?P<name>[\w.]+)"),
    ),
    "sql": (
        Form(
            "definition",
            rf"CREATE\s+(?:[\w=@`%'\"]+\s+){{0,5}}?{_SQL_KIND}\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?"
            rf"(?P<name>(?!ON\b){_SQL_PART}(?:\s*\.\s*{_SQL_PART})*)",
            # The body of a function, or the query of a view, may stand as far left as the word CREATE.
            rf"(?!{_SQL_STATEMENT})",
        ),
    ),
    "wgsl": (
        Form("function", rf"{_WGSL_ATTRIBUTES}fn\s+(?P<name>\w+)"),
        Form("definition", r"struct\s+(?P<name>\w+)"),
        Form("definition", rf"{_FAR_LEFT}{_WGSL_ATTRIBUTES}(?:var(?:<[^>\n]*>)?|const|override|alias)\s+(?P<name>\w+)"),
    ),
}
