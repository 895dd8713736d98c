"""torch.vmap and torch.func: a batch gives what its elements give one by one."""

import itertools

import pytest
import torch
from composites import FORMULAS, TWO, Formula, exp_sin, inputs_of, mix, ops, seeded, softplus
from torch import vmap
from torch.autograd.functional import hessian as functional_hessian
from torch.autograd.functional import jacobian as functional_jacobian
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp

formulas = pytest.mark.parametrize("formula", FORMULAS, ids=str)


def one_by_one(call, in_dims: tuple, inputs: list[torch.Tensor], out_dim: int = 0) -> torch.Tensor:
    batch = next(x.shape[dim] for x, dim in zip(inputs, in_dims, strict=True) if dim is not None)
    slices = [
        call(*(x if dim is None else x.select(dim, at) for x, dim in zip(inputs, in_dims, strict=True)))
        for at in range(batch)
    ]
    return torch.stack(slices, out_dim)


def assert_batches(call, in_dims: tuple, *inputs: torch.Tensor, out_dim: int = 0) -> None:
    """To the bit, and with the dtype of the element's result."""
    actual = vmap(call, in_dims, out_dim)(*inputs)
    expected = one_by_one(call, in_dims, list(inputs), out_dim)
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@formulas
@pytest.mark.parametrize("out_dim", [0, 1, -1])
def test_a_batch_may_be_any_axis(formula: Formula, out_dim: int) -> None:
    inputs = inputs_of(formula, 3, 3, 3, dtype=torch.float32)
    for in_dims in itertools.product([0, 1, 2, -1, None], repeat=formula.tensors):
        if any(dim is not None for dim in in_dims):
            assert_batches(formula.call, in_dims, *inputs, out_dim=out_dim)


@pytest.mark.parametrize("formula", TWO, ids=str)
@pytest.mark.parametrize(
    ("left", "right", "in_dims"),
    [
        ((3, 4), (3,), (0, 0)),
        ((3,), (3, 4), (0, 0)),
        ((4, 3), (3, 2, 4), (1, 0)),
        ((3,), (2, 4), (0, None)),
        ((2, 4), (3,), (None, 0)),
        ((3, 1, 4), (5, 1), (0, None)),
        ((5, 1), (1, 3, 4), (None, 1)),
        ((3,), (3,), (0, 0)),
        ((3,), (), (0, None)),
    ],
)
def test_elements_broadcast_without_the_batch(formula: Formula, left, right, in_dims) -> None:
    x, s = seeded(*left, dtype=torch.float32), seeded(*right, dtype=torch.float32, seed=8).abs() + 1
    assert_batches(formula.call, in_dims, x, s)


@pytest.mark.parametrize("formula", TWO, ids=str)
@pytest.mark.parametrize(
    ("left", "right", "in_dims"),
    [
        ((3, 4), (3,), (0, 0)),
        ((3,), (3, 4), (0, 0)),
        ((3,), (), (0, None)),
        ((3,), (3,), (0, 0)),
        ((3, 4), (), (0, None)),
    ],
)
@pytest.mark.parametrize(
    "dtypes", list(itertools.permutations([torch.float16, torch.float32, torch.float64], 2)), ids=str
)
def test_elements_promote_without_the_batch(formula: Formula, left, right, in_dims, dtypes) -> None:
    """An element of no dimension takes part in promotion as such, although its batch has one."""
    x, s = seeded(*left).to(dtypes[0]), (seeded(*right, seed=8).abs() + 1).to(dtypes[1])
    expected = one_by_one(torch.add, in_dims, [x, s]).dtype
    assert one_by_one(formula.call, in_dims, [x, s]).dtype == expected
    assert vmap(formula.call, in_dims)(x, s).dtype == expected


@pytest.mark.parametrize("formula", TWO, ids=str)
def test_batches_nest(formula: Formula) -> None:
    x, s = seeded(2, 3, 4), seeded(2, 3, 4, seed=8).abs() + 1
    assert_batches(vmap(formula.call), (0, 0), x, s)
    assert_batches(vmap(formula.call, (None, 0)), (0, None), x[:, 0], s[0])
    assert_batches(vmap(formula.call, (1, 0), 1), (2, 0), x, s[0].t())
    torch.testing.assert_close(
        vmap(vmap(formula.call, (None, 0)), (0, None))(x[0, 0], s[0, 1]),
        formula.call(x[0, 0][:, None], s[0, 1]),
        rtol=0,
        atol=0,
    )


@formulas
@pytest.mark.parametrize("axis", [0, 1])
def test_a_batch_is_written_in_place(formula: Formula, axis: int) -> None:
    inputs = inputs_of(formula, 3, 3)
    expected = one_by_one(formula.call, (axis,) * formula.tensors, inputs, axis)
    address = inputs[0].data_ptr()
    vmap(lambda *x: (formula.in_place(*x), x[0])[1], (axis,) * formula.tensors)(*inputs)
    torch.testing.assert_close(inputs[0], expected, rtol=0, atol=0)
    assert inputs[0].data_ptr() == address


@formulas
def test_a_batch_is_written_to_out(formula: Formula) -> None:
    inputs, out = inputs_of(formula, 3, 4), torch.empty(3, 4, dtype=torch.float64)
    vmap(lambda out, *x: (formula.out(*x, out_tensor=out), out)[1])(out, *inputs)
    torch.testing.assert_close(out, formula.call(*inputs), rtol=0, atol=0)


def test_a_batch_is_not_written_to_a_tensor_without_one() -> None:
    x, batch = seeded(4), seeded(3, 4).abs() + 1
    before = x.clone()
    with pytest.raises((RuntimeError, ValueError), match=r"(?s)portops::trig_mix.*vmap"):
        vmap(lambda s: (ops.trig_mix_(x, s), x)[1])(batch)
    with pytest.raises((RuntimeError, ValueError), match=r"(?s)portops::softplus.*vmap"):
        vmap(lambda s: (ops.softplus.out(s, out=x), x)[1])(batch)
    assert torch.equal(x, before)


@pytest.mark.parametrize("in_dims", [(0, 0), (1, 0), (0, None), (None, 0), (None, 1)])
def test_delay_line_takes_batches(in_dims: tuple) -> None:
    samples, delays = seeded(5, 5, dtype=torch.float32), torch.randint(0, 4, (5, 5))
    delays = delays if in_dims[1] is not None else delays[0]
    assert_batches(ops.delay_line, in_dims, samples, delays)
    expected = one_by_one(ops.delay_line, in_dims, [samples, delays])
    if in_dims[0] is not None:
        vmap(lambda x, d: (ops.delay_line_(x, d), x)[1], in_dims)(samples, delays)
        torch.testing.assert_close(samples.movedim(in_dims[0], 0), expected, rtol=0, atol=0)


@formulas
def test_derivatives_of_torch_func_are_those_of_the_formula(formula: Formula) -> None:
    inputs = inputs_of(formula, 3)
    every = tuple(range(formula.tensors))
    for transform in (
        lambda call: grad(lambda *x: call(*x).sum(), every),
        lambda call: jacrev(call, every),
        lambda call: jacfwd(call, every),
        lambda call: hessian(lambda *x: call(*x).sum(), every),
        lambda call: jacrev(jacrev(call, every), every),
        lambda call: jacfwd(jacfwd(call, every), every),
        lambda call: jacrev(jacfwd(call, every), every),
        lambda call: grad(lambda *x: sum((g**2).sum() for g in grad(lambda *y: call(*y).sum(), every)(*x))),
        lambda call: lambda *x: jvp(call, x, x),
        lambda call: lambda *x: vjp(call, *x)[1](torch.ones(3, dtype=torch.float64)),
        lambda call: lambda *x: functional_jacobian(call, x, vectorize=True),
        lambda call: lambda *x: functional_jacobian(call, x, vectorize=True, strategy="forward-mode"),
        lambda call: lambda *x: functional_hessian(lambda *y: call(*y).sum(), x, vectorize=True),
    ):
        torch.testing.assert_close(transform(formula.call)(*inputs), transform(formula.composite)(*inputs))


@formulas
def test_derivatives_in_place_of_torch_func(formula: Formula) -> None:
    def written(call):
        def run(*x):
            y = x[0] * 1
            call(y, *x[1:])
            return y

        return run

    inputs = inputs_of(formula, 3)
    every = tuple(range(formula.tensors))
    for transform in (
        lambda call: jacrev(call, every),
        lambda call: jacfwd(call, every),
        lambda call: hessian(lambda *x: call(*x).sum(), every),
    ):
        torch.testing.assert_close(transform(written(formula.in_place))(*inputs), transform(formula.composite)(*inputs))


@formulas
def test_gradients_per_sample(formula: Formula) -> None:
    samples = inputs_of(formula, 5, 4)
    every = tuple(range(formula.tensors))
    actual = vmap(grad(lambda *x: formula.call(*x).sum(), every))(*samples)
    expected = vmap(grad(lambda *x: formula.composite(*x).sum(), every))(*samples)
    torch.testing.assert_close(actual, expected)
    actual = grad(lambda *x: vmap(formula.call)(*x).sum(), every)(*samples)
    torch.testing.assert_close(actual, expected)
    ours, torchs = (
        vmap(hessian(lambda *x, f=f: f(*x).sum(), every))(*samples) for f in (formula.call, formula.composite)
    )
    torch.testing.assert_close(ours, torchs)


class Network(torch.nn.Module):
    """Two layers with all three formulas between them."""

    def __init__(self, first, second, third) -> None:
        super().__init__()
        self.formulas = first, second, third
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Linear(6, 1)).double()
        self.scale = torch.nn.Parameter(torch.tensor(1.5, dtype=torch.float64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second, third = self.formulas
        return third(self.layers[1](first(second(self.layers[0](x), self.scale))))


def test_gradients_of_parameters_per_sample() -> None:
    ours = Network(ops.softplus, ops.trig_mix, ops.exp_sin)
    torchs = Network(softplus, mix, exp_sin)
    parameters = {name: value.detach() for name, value in ours.named_parameters()}
    batch = seeded(7, 4)

    def per_sample(network: Network):
        loss = lambda weights, x: functional_call(network, weights, (x,)).square().sum()  # noqa: E731
        return vmap(grad(loss), (None, 0))(parameters, batch)

    torch.testing.assert_close(per_sample(ours), per_sample(torchs))
