"""Loads the bridge once for all tests; the environment says where it is."""

import os

import torch

torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])
