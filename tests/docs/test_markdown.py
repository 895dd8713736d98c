"""The checks of the pages find what is wrong with one."""

import markdown
import pytest

SWISH = "examples/custom_operator/swish.cpp"


def fault(language: str, comment: str, code: str) -> str | None:
    (block,) = markdown.blocks(f"Words.\n\n{comment}\n```{language}\n{code}\n```\n")
    return markdown.fault(block)


def test_parts_of_files() -> None:
    lines = (markdown.ROOT / SWISH).read_text().splitlines()
    assert fault("cpp", f"<!-- from: {SWISH} -->", "\n".join(lines)) is None
    assert fault("cpp", f"<!-- from: {SWISH} -->", "\n".join(line[2:] for line in lines[4:5])) is None
    assert "not a part" in fault("cpp", f"<!-- from: {SWISH} -->", "\n".join([lines[0], *lines[3:]]))
    assert "not a part" in fault("cpp", f"<!-- from: {SWISH} -->", lines[0] + " ")
    assert "not a tested file" in fault("cpp", "<!-- from: examples/none.cpp -->", "int x;")
    assert "not a tested file" in fault("cmake", "<!-- from: docs/../CMakeLists.txt -->", "project(portops)")


@pytest.mark.parametrize(("language", "accepted"), [("sh", True), ("text", True), ("cpp", False), ("python", False)])
def test_blocks_without_a_comment(language: str, accepted: bool) -> None:
    assert (fault(language, "Text.", "code") is None) == accepted


def test_pages() -> None:
    assert [block.code for block in markdown.blocks("```sh\na\n\nb\n```\n\n- x\n  ```\n  c\n  ```\n")] == [
        "a\n\nb",
        "c",
    ]
    assert "only Python" in fault("cpp", "<!-- run -->", "int x;")
    with pytest.raises(ValueError, match="line 1"):
        markdown.blocks("```sh\na\n")
