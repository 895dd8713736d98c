"""The code of the page that the environment names."""

import os
import pathlib
import subprocess
import sys

import markdown
import pytest

PAGE = pathlib.Path(os.environ["PORTOPS_PAGE"])
BLOCKS = markdown.blocks(PAGE.read_text())
MARK = "\n--- the next block ---\n"


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line {block.line}")
def test_block(block: markdown.Block) -> None:
    assert markdown.fault(block) is None, f"{PAGE.name}:{block.line}: {markdown.fault(block)}"


def test_python_runs_and_prints_what_the_page_says(tmp_path: pathlib.Path) -> None:
    """In a folder that holds the libraries, so that a page may name them without one."""
    scripts = [block for block in BLOCKS if block.comment == "run"]
    if not scripts:
        return
    for name, variable in (("libportops_torch.so", "PORTOPS_TORCH_LIBRARY"), ("libmine.so", "PORTOPS_CUSTOM_LIBRARY")):
        (tmp_path / name).symlink_to(os.environ[variable])
    code = "".join(f"# line {block.line} of the page\n{block.code}\nprint({MARK!r}, end='')\n" for block in scripts)
    (tmp_path / "page.py").write_text(code)
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    printed = dict(zip(scripts, done.stdout.split(MARK), strict=False))
    for script, block in zip(BLOCKS, BLOCKS[1:], strict=False):
        if block.comment == "output":
            assert script.comment == "run", f"{PAGE.name}:{block.line}: the block before it does not run"
            assert printed[script].rstrip("\n") == block.code
