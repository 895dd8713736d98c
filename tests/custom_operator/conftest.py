"""Loads the bridge and the operators once for all tests; the environment says where they are."""

import os

import torch

torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])
torch.ops.load_library(os.environ["PORTOPS_CUSTOM_LIBRARY"])
