"""The pictures of the pages are what their scripts draw."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import markdown
import matplotlib
import pytest

SCRIPTS = sorted((markdown.ROOT / "docs").glob("*_figure.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_script_draws_the_picture(script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """To the byte where this is the matplotlib that drew it, whose version it names; other versions place text anew."""
    picture, drawn = script.with_name(script.stem.removesuffix("_figure") + ".svg"), tmp_path / "drawn.svg"
    subprocess.run([sys.executable, script, drawn], check=True, timeout=300)
    for file in (picture, drawn):
        assert xml.etree.ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    if f"Matplotlib v{matplotlib.__version__}," in picture.read_text():
        assert drawn.read_bytes() == picture.read_bytes()
