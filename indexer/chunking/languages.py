"""The languages RepoPilot knows, one row each. A language more is one row and at most one query file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Language:
    """How files of one language are recognised and, where there is a grammar, parsed.

    `grammar` is `module:function` of a tree-sitter wheel, imported when the first such file comes. `query` names
    the file under `queries/`, the language's own name by default. `separator` joins the parts of a qualified name.
    """

    name: str
    extensions: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()
    grammar: str = ""
    query: str = ""
    separator: str = "."


LANGUAGES: Final = (
    Language("python", (".py", ".pyi"), ("SConstruct", "SConscript"), "tree_sitter_python:language"),
    Language("c", (".c",), (), "tree_sitter_c:language", separator="::"),
    # A .h may be either; C++ reads nearly all of C, and C reads hardly anything of C++.
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp"),
        (),
        "tree_sitter_cpp:language",
        separator="::",
    ),
    Language("cuda", (".cu", ".cuh"), (), "tree_sitter_cuda:language", "cpp", "::"),
    Language("rust", (".rs",), (), "tree_sitter_rust:language", separator="::"),
    Language("javascript", (".js", ".jsx", ".mjs", ".cjs"), (), "tree_sitter_javascript:language"),
    Language("typescript", (".ts", ".mts", ".cts"), (), "tree_sitter_typescript:language_typescript"),
    Language("tsx", (".tsx",), (), "tree_sitter_typescript:language_tsx", "typescript"),
    Language("go", (".go",), (), "tree_sitter_go:language"),
    Language("java", (".java",), (), "tree_sitter_java:language"),
    Language("bash", (".sh", ".bash"), (".bashrc", ".bash_profile", ".profile"), "tree_sitter_bash:language"),
    Language(
        "ruby",
        (".rb", ".rbi", ".rake", ".gemspec", ".ru", ".podspec"),
        ("Gemfile", "Rakefile", "Guardfile", "Capfile", "Podfile", "Fastfile", "Vagrantfile", "Brewfile"),
        "tree_sitter_ruby:language",
        separator="::",
    ),
    Language("php", (".php", ".phtml"), (), "tree_sitter_php:language_php", separator="::"),
    Language("csharp", (".cs", ".csx"), (), "tree_sitter_c_sharp:language"),
    Language("kotlin", (".kt", ".kts"), (), "tree_sitter_kotlin:language"),
    Language("swift", (".swift",), (), "tree_sitter_swift:language"),
    Language("scala", (".scala", ".sc", ".sbt"), (), "tree_sitter_scala:language"),
    Language("elixir", (".ex", ".exs"), (), "tree_sitter_elixir:language"),
    Language("lua", (".lua", ".rockspec"), (), "tree_sitter_lua:language"),
    Language("haskell", (".hs", ".hs-boot"), (), "tree_sitter_haskell:language"),
    Language("zig", (".zig", ".zon"), (), "tree_sitter_zig:language"),
    # MATLAB has .m too, and is rarer.
    Language("objc", (".m", ".mm"), (), "tree_sitter_objc:language"),
    Language("metal", (".metal",), (), "tree_sitter_cpp:language", "cpp", "::"),
    Language("glsl", (".glsl", ".vert", ".frag", ".geom", ".comp", ".tesc", ".tese"), (), "tree_sitter_glsl:language"),
    Language("julia", (".jl",), (), "tree_sitter_julia:language"),
    Language("ocaml", (".ml",), (), "tree_sitter_ocaml:language_ocaml"),
    Language("ocaml_interface", (".mli",), (), "tree_sitter_ocaml:language_ocaml_interface"),
    Language("solidity", (".sol",), (), "tree_sitter_solidity:language"),
    Language("html", (".html", ".htm", ".xhtml"), (), "tree_sitter_html:language", separator=" > "),
    Language("vue", (".vue",), (), "tree_sitter_html:language", "html", " > "),
    Language("svelte", (".svelte",), (), "tree_sitter_html:language", "html", " > "),
    Language("css", (".css",), (), "tree_sitter_css:language", separator=" "),
    Language("scss", (".scss",), (), "tree_sitter_scss:language", separator=" "),
    Language("markdown", (".md", ".markdown", ".mdx"), ()),
    Language("rst", (".rst",), ()),
    Language("notebook", (".ipynb",), ()),
    Language("yaml", (".yaml", ".yml"), (".clang-format", ".clang-tidy")),
    Language("toml", (".toml",), ("Cargo.lock", "poetry.lock", "uv.lock")),
    Language("json", (".json", ".jsonc", ".json5"), ()),
    Language("ini", (".ini", ".cfg", ".conf", ".properties"), (".editorconfig", ".gitconfig", ".flake8")),
    # These are read by the forms of their definitions.
    Language("cython", (".pyx", ".pxd", ".pxi")),
    Language("cmake", (".cmake",), ("CMakeLists.txt",)),
    Language("dockerfile", (".dockerfile", ".containerfile"), ("Dockerfile", "Containerfile")),
    Language("makefile", (".mk", ".mak"), ("Makefile", "GNUmakefile", "BSDmakefile", "makefile")),
    Language("proto", (".proto",)),
    Language("sql", (".sql", ".ddl", ".pgsql", ".psql", ".plsql")),
    Language("hcl", (".hcl", ".tf", ".tfvars", ".nomad")),
    Language("r", (".r",), (".Rprofile",), separator="::"),
    Language("perl", (".pl", ".pm", ".t", ".psgi"), ("cpanfile",), separator="::"),
    Language("dart", (".dart",)),
    Language("wgsl", (".wgsl",)),
    # And these by lines alone.
    Language("less", (".less",)),
    Language("sass", (".sass",)),
    Language("jinja", (".jinja", ".jinja2", ".j2"), ()),
)

BY_NAME: Final[Mapping[str, Language]] = {language.name: language for language in LANGUAGES}
_BY_EXTENSION: Final = {extension: language.name for language in LANGUAGES for extension in language.extensions}
_BY_FILE_NAME: Final = {name: language.name for language in LANGUAGES for name in language.file_names}


def language_of(path: str) -> str:
    """The name of a file's language, told by its path alone; "text" when unknown."""
    name = path.rsplit("/", 1)[-1]
    stem, dot, extension = name.rpartition(".")
    by_extension = _BY_EXTENSION.get(dot + extension.lower()) if stem else None
    # `Dockerfile.cpu` is a Dockerfile; `Makefile.py` would be Python.
    return _BY_FILE_NAME.get(name) or by_extension or _BY_FILE_NAME.get(name.split(".", 1)[0]) or "text"
