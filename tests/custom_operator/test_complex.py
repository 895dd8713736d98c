"""Operators whose functor accepts complex numbers."""

import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from operators import mine, refused, results
from torch.autograd import gradcheck, gradgradcheck

COMPLEX = pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
FORMULAS: dict[str, tuple[Callable, Callable]] = {
    "axpy": (lambda z, w: mine.axpy(z, w, 3.0), lambda z, w: 3 * z + w),
    "carrier": (lambda z, w: mine.carrier(z, w, 0.7), lambda z, w: torch.exp(0.7 * z) * w),
    "holomorphic": (mine.holomorphic, lambda z, w: (z.log() / w, w.sqrt() * z.sin(), z.tanh() - w**z)),
    "reciprocal": (lambda z, w: mine.reciprocal(z), lambda z, w: z.reciprocal()),
}
EVERY = pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)


@pytest.fixture(autouse=True)
def nothing_is_discarded() -> Iterator[None]:
    """torch warns once in a process where a cast drops an imaginary part; here every time, as an error."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*imaginary part")
        yield
    torch.set_warn_always(before)


def numbers(*sizes: int, dtype: torch.dtype = torch.complex128, seed: int = 0) -> torch.Tensor:
    """Of magnitude 0.5 to 1.5 in the right half plane, away from the cuts; the positive axis for a real type."""
    generator = torch.Generator().manual_seed(seed)
    radius, angle = (torch.rand(sizes, generator=generator, dtype=torch.float64) for _ in range(2))
    z = torch.polar(radius + 0.5, (angle - 0.5) * 2.5)
    return (z if dtype.is_complex else z.abs()).to(dtype)


def pair(*sizes: int, dtype: torch.dtype = torch.complex128) -> list[torch.Tensor]:
    return [numbers(*sizes, dtype=dtype, seed=seed) for seed in (0, 1)]


def assert_same(actual, expected, **tolerances) -> None:
    for left, right in zip(results(actual), results(expected), strict=True):
        torch.testing.assert_close(left, right, **tolerances)


@EVERY
@COMPLEX
@pytest.mark.parametrize("sizes", [(), (7,), (0, 3), (2, 3, 1000), (1, 100_003)], ids=str)
def test_values(formula, dtype: torch.dtype, sizes: tuple[int, ...]) -> None:
    operator, reference = formula
    x = pair(*sizes, dtype=dtype)
    assert_same(operator(*x), reference(*x))


@EVERY
def test_layouts(formula) -> None:
    operator, _ = formula
    for arrange in (
        lambda x: x.transpose(0, -1),
        lambda x: x[..., ::2],
        lambda x: x[:1].expand_as(x),
        lambda x: torch.view_as_complex(torch.view_as_real(x).clone()),
        lambda x: x.conj(),
        lambda x: x.transpose(0, 1).conj()[1:],
        lambda x: x.conj().imag.neg() * 1j + x.real,
    ):
        x = [arrange(tensor) for tensor in pair(4, 3, 6)]
        assert_same(operator(*x), operator(*(tensor.resolve_conj().contiguous() for tensor in x)), rtol=0, atol=0)


def test_real_tensors_keep_the_real_loop() -> None:
    x, y = torch.rand(1000), torch.rand(1000)
    assert_same(mine.axpy(x, y, 3.0), 3 * x + y)
    assert mine.axpy(x.half(), y.half()).dtype == torch.float16
    out = torch.empty(1000, dtype=torch.complex128)
    mine.axpy.out(x, y, 3.0, out=out)  # a real result may be written to a complex tensor, as in torch
    assert_same(out, mine.axpy(x, y, 3.0).to(torch.complex128), rtol=0, atol=0)


def test_operands_promote_as_in_torch() -> None:
    kinds = [torch.ones(2, dtype=d) for d in (torch.complex64, torch.complex128, torch.float32, torch.float64)]
    kinds += [torch.ones(2, dtype=d) for d in (torch.bfloat16, torch.int64, torch.uint8, torch.bool)]
    kinds += [torch.ones((), dtype=d) for d in (torch.complex64, torch.complex128, torch.float64, torch.int32)]
    for left in kinds:
        for right in kinds:
            dtype = torch.result_type(left, right)
            if not dtype.is_complex:
                continue
            assert_same(mine.axpy(left, right), left + right)
            assert mine.axpy(left.to("meta"), right.to("meta")).dtype == dtype
            assert [result.dtype for result in mine.holomorphic(left, right)] == [dtype] * 3


def test_values_of_mixed_types() -> None:
    z = numbers(50, dtype=torch.complex64)
    for other in (torch.rand(50), torch.rand(50).half(), torch.arange(1, 51), torch.rand(50, dtype=torch.float64)):
        if other.dtype == torch.float16:  # torch promotes to complex64 as well
            assert torch.result_type(z, other) == torch.complex64
        assert_same(mine.axpy(other, z, 2.0), 2 * other + z)
        assert_same(mine.carrier(z, other), z.exp() * other)


@COMPLEX
def test_in_place_and_out(dtype: torch.dtype) -> None:
    z, w = pair(6, 5, dtype=dtype)
    expected, version = mine.carrier(z[:, 1:4], w[:, 1:4]), z._version
    out = torch.empty(3, 6, dtype=dtype).t()
    assert mine.carrier.out(z[:, 1:4], w[:, 1:4], out=out) is None
    assert_same(out, expected, rtol=0, atol=0)
    assert mine.carrier_(z[:, 1:4], w[:, 1:4]) is None
    assert_same(z[:, 1:4], expected, rtol=0, atol=0)
    assert z._version > version
    narrow = torch.empty(6, 3, dtype=torch.complex64)
    mine.carrier.out(w[:, 1:4], 1 + w[:, 1:4], out=narrow)
    assert_same(narrow, mine.carrier(w[:, 1:4], 1 + w[:, 1:4]).to(torch.complex64), rtol=0, atol=0)


def test_a_lazy_conjugate_is_written_where_it_lies() -> None:
    z, w = pair(40)
    expected = mine.carrier(z.conj().resolve_conj(), w)
    mine.carrier_(z.conj(), w)
    assert_same(z.conj(), expected, rtol=0, atol=0)


def test_elements_that_need_care() -> None:
    z = numbers(200)
    z[[3, 64, 199]] = 0
    expected = torch.where(z == 0, 0, 1 / torch.where(z == 0, 1, z))
    assert_same(mine.reciprocal(z), expected)


def test_infinities_and_nans() -> None:
    """A real factor does not mix the parts; a product of complex numbers is four real ones, as in torch."""
    inf, nan = float("inf"), float("nan")
    z = torch.tensor([complex(inf, 1), complex(1, -inf), complex(nan, 2)] * 30)
    expected = torch.tensor([complex(inf, 3), complex(3, -inf), complex(nan, 6)] * 30)
    assert_same(torch.view_as_real(mine.axpy(z, torch.zeros(()), 3.0)), torch.view_as_real(expected), equal_nan=True)


@EVERY
def test_gradients(formula) -> None:
    operator, _ = formula
    for sizes in ([(3, 4), (3, 4)], [(2, 3), (3,)], [(), (2, 1)]):
        x = [numbers(*own, seed=n).requires_grad_() for n, own in enumerate(sizes)]
        assert gradcheck(
            operator,
            x,
            fast_mode=False,
            check_forward_ad=True,
            check_batched_grad=True,
            check_batched_forward_grad=True,
        )
        assert gradgradcheck(operator, x, fast_mode=False, check_fwd_over_rev=True, check_rev_over_rev=True)


@pytest.mark.parametrize("formula", [FORMULAS["axpy"], FORMULAS["carrier"], FORMULAS["holomorphic"]])
@pytest.mark.parametrize("real", [0, 1])
def test_gradients_of_real_arguments_are_real(formula, real: int) -> None:
    operator, _ = formula
    dtypes = [torch.float64 if n == real else torch.complex128 for n in range(2)]
    x = [numbers(3, 4, dtype=dtype, seed=n).requires_grad_() for n, dtype in enumerate(dtypes)]
    assert gradcheck(operator, x, fast_mode=False, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(operator, x, fast_mode=False, check_fwd_over_rev=True, check_rev_over_rev=True)
    sum(result.abs().sum() for result in results(operator(*x))).backward()
    assert [tensor.grad.dtype for tensor in x] == dtypes


@EVERY
def test_gradients_are_those_of_torch(formula) -> None:
    operator, reference = formula
    x = [tensor.requires_grad_() for tensor in pair(3, 4, dtype=torch.complex64)]
    grads = []
    for function in (operator, reference):
        loss = sum((result * (2 - 1j)).abs().sum() for result in results(function(*x)))
        grads.append(torch.autograd.grad(loss, x, allow_unused=True))
    for left, right in zip(*grads, strict=True):
        assert (left is None) == (right is None)
        assert left is None or torch.allclose(left, right, rtol=1e-4, atol=1e-5)


def test_gradients_through_conjugates_and_in_place() -> None:
    def work(z: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        y = z * 2
        mine.carrier_(y, w.conj())
        return mine.axpy(y.conj(), w, 2.0)

    x = [tensor.requires_grad_() for tensor in pair(5)]
    assert gradcheck(work, x, fast_mode=False, check_forward_ad=True)
    assert gradgradcheck(work, x, fast_mode=False)


@COMPLEX
@EVERY
def test_vmap(formula, dtype: torch.dtype) -> None:
    operator, _ = formula
    x = pair(5, 3, dtype=dtype)
    assert_same(torch.vmap(operator)(*x), operator(*x), rtol=0, atol=0)
    assert_same(torch.vmap(operator, in_dims=(0, None))(x[0], x[1][0]), operator(x[0], x[1][:1]), rtol=0, atol=0)
    assert_same(torch.vmap(torch.vmap(operator))(*x), operator(*x), rtol=0, atol=0)


def test_functional_transforms() -> None:
    z, w = pair(4)
    _, moved = torch.func.jvp(mine.carrier, (z, w), (w, z))
    assert_same(moved, z.exp() * (w * w + z))
    _, pull = torch.func.vjp(mine.carrier, z, w)
    assert_same(pull(w), (w * (z.exp() * w).conj(), w * z.exp().conj()))
    along = lambda z: torch.func.jvp(lambda z: mine.carrier(z, w), (z,), (w,))[1]  # noqa: E731
    assert_same(torch.func.jvp(along, (z,), (z,))[1], z.exp() * w * w * z)
    assert_same(torch.func.vjp(along, z)[1](z)[0], z * (z.exp() * w * w).conj())


@COMPLEX
@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_opcheck(dtype: torch.dtype, requires_grad: bool) -> None:
    x = [tensor.requires_grad_(requires_grad) for tensor in pair(3, 4, dtype=dtype)]
    torch.library.opcheck(mine.axpy.default, x, {"a": 2.0})
    torch.library.opcheck(mine.carrier.default, (x[0], x[1].abs().detach()))
    torch.library.opcheck(mine.holomorphic.default, x)
    if not requires_grad:
        torch.library.opcheck(mine.carrier_.default, (x[0].clone(), x[1]))
        torch.library.opcheck(mine.carrier.out, x, {"out": torch.empty_like(x[0])})


@pytest.mark.filterwarnings("ignore")
def test_compiles() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(lambda z, w: mine.carrier(z, w, 0.5), fullgraph=True, dynamic=True)
    for length in (8, 13):
        x = [tensor.requires_grad_() for tensor in pair(3, length)]
        assert_same(compiled(*x), mine.carrier(*x, 0.5))
        grads = [torch.autograd.grad(call.abs().sum(), x) for call in (compiled(*x), mine.carrier(*x, 0.5))]
        assert_same(tuple(grads[0]), tuple(grads[1]))


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_what_does_not_fit_is_refused_by_name(device: str) -> None:
    z, x = torch.ones(3, dtype=torch.complex64, device=device), torch.ones(3, device=device)
    with refused("axpy", "cannot be cast", "ComplexFloat", "Float"):
        mine.axpy_(x, z)
    with refused("axpy", "cannot be cast", "ComplexFloat", "Float"):
        mine.axpy.out(z, x, out=x)
    with refused("axpy", "dtype", "ComplexHalf"):
        mine.axpy(x.half(), z[0])
    with refused("axpy", "dtype", "ComplexHalf"):
        mine.axpy(x, z.to(torch.complex32))
    with refused("swish", "complex tensors are not supported", "argument=input", "complex64"):
        mine.swish(z)
    with refused("swish", "floating", "complex64"):
        mine.swish.out(x, out=z)
    with pytest.raises(RuntimeError, match="mine::axpy"):
        mine.axpy(z, z, 2j)
