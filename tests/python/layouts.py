"""Tensors of random memory layout, the same in every run."""

import random

import torch


def random_layout(generator: random.Random, sizes: list[int], dtype: torch.dtype, device: str = "cpu") -> torch.Tensor:
    """A tensor of these sizes: permuted, sliced, expanded, with odd strides where a size is 1, or plain."""
    order = list(range(len(sizes)))
    if generator.random() < 0.6:
        generator.shuffle(order)
    steps = [generator.choice([1, 1, 1, 2, 3]) for _ in sizes]
    repeat = [generator.random() < 0.1 for _ in sizes]
    stored = [1 if again else size * step for size, step, again in zip(sizes, steps, repeat, strict=True)]
    tensor = torch.rand([stored[dim] for dim in order], device=device).add(0.5).to(dtype)
    tensor = tensor.permute([order.index(dim) for dim in range(len(sizes))])
    for dim, (step, again) in enumerate(zip(steps, repeat, strict=True)):
        if not again:
            tensor = tensor[(slice(None),) * dim + (slice(None, None, step),)]
    tensor = tensor.expand(sizes)
    if generator.random() < 0.2:
        strides = [
            generator.choice([1, 7, 99]) if size == 1 else stride
            for size, stride in zip(sizes, tensor.stride(), strict=True)
        ]
        tensor = tensor.as_strided(sizes, strides)
    return tensor


def random_sizes(generator: random.Random) -> list[int]:
    return [generator.choice([0, 1, 1, 2, 2, 3, 4, 5]) for _ in range(generator.randrange(6))]


def broadcastable(generator: random.Random, sizes: list[int]) -> list[int]:
    """Sizes that broadcast to `sizes`."""
    return [1 if generator.random() < 0.25 else size for size in sizes][generator.randrange(len(sizes) + 1) :]
