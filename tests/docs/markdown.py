"""Code blocks of a Markdown page, and the rules that they follow.

A comment right before a block says how it is tested:
  <!-- from: PATH -->  the block is a contiguous part of that file of the project, which a test builds or runs
  <!-- run -->         Python that is executed, after those before it on the page, in one process
  <!-- output -->      what the block before it prints
Blocks of a shell, and of text, may go without.
"""

import pathlib
import re
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTED_FOLDERS = ("core", "examples", "perf", "tests", "torch_bridge")
UNTESTED_LANGUAGES = ("sh", "bash", "console", "text", "")


class Block(NamedTuple):
    line: int
    language: str
    comment: str
    code: str


def blocks(text: str) -> list[Block]:
    found, fence, last = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence is not None and line.strip() == "```":
            start, language, comment, code = fence
            found.append(Block(start, language, comment, textwrap.dedent("\n".join(code))))
            fence, last = None, ""
        elif fence is not None:
            fence[3].append(line)
        elif opened := re.fullmatch(r"\s*```(\w*)", line):
            comment = re.fullmatch(r"\s*<!--\s*(.*?)\s*-->", last)
            fence = (number, opened[1], comment[1] if comment else "", [])
        elif line.strip():
            last = line
    if fence is not None:
        raise ValueError(f"line {fence[0]}: a block that does not end")
    return found


def is_part(code: str, text: str) -> bool:
    """Whether the lines of `code` follow each other in `text`, at any indentation."""
    lines, size = text.splitlines(), len(code.splitlines())
    starts = range(len(lines) - size + 1)
    return any(textwrap.dedent("\n".join(lines[start : start + size])) == code for start in starts)


def fault(block: Block) -> str | None:
    """What is wrong with a block that does not run."""
    rule, _, path = block.comment.partition(":")
    if rule == "from":
        path = path.strip()
        if path.split("/")[0] not in TESTED_FOLDERS or not (ROOT / path).is_file():
            return f"{path} is not a tested file"
        return None if is_part(block.code, (ROOT / path).read_text()) else f"is not a part of {path}"
    if rule == "run":
        return None if block.language == "python" else "only Python runs"
    if rule == "output" or block.language in UNTESTED_LANGUAGES:
        return None
    return f"no test knows this {block.language} block: it needs a comment, <!-- from: PATH --> or <!-- run -->"
