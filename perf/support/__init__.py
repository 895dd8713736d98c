"""What bench.py is made of. The demo's methods and its way of timing are used as they are."""

import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "examples" / "demo"))
