"""Loads the bridge once for all tests; the environment says where it is."""

import os

import pytest
import torch

torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])


@pytest.fixture(autouse=True)
def seed():
    """The same numbers in every run, so that a failure can be repeated."""
    torch.manual_seed(0)
