"""Operands promote as torch.result_type says; integers and bool become the default dtype."""

import itertools

import pytest
import recurrence_cases
import torch

ops = torch.ops.portops

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.bool, *recurrence_cases.INTEGERS]
ALL = FLOATS + INTEGERS


def promoted(*operands: torch.Tensor) -> torch.dtype:
    dtype = torch.result_type(*operands) if len(operands) == 2 else operands[0].dtype
    return dtype if dtype.is_floating_point else torch.get_default_dtype()


@pytest.fixture(params=[torch.float32, torch.float64, torch.float16], ids=str)
def default_dtype(request: pytest.FixtureRequest):
    before = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    yield request.param
    torch.set_default_dtype(before)


def make(dtype: torch.dtype, sizes: tuple[int, ...]) -> torch.Tensor:
    return torch.full(sizes, 2).to(dtype)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_one_input(dtype: torch.dtype, default_dtype: torch.dtype) -> None:
    for sizes in ((), (3,)):
        x = make(dtype, sizes)
        assert ops.softplus(x).dtype == promoted(x)
        assert ops.exp_sin(x, 2.5).dtype == promoted(x)
        assert ops.trig_mix(x, 2).dtype == promoted(x)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(ALL, ALL)), ids=str)
def test_two_inputs(left: torch.dtype, right: torch.dtype) -> None:
    for left_sizes, right_sizes in itertools.product([(), (1,), (3,)], repeat=2):
        x, s = make(left, left_sizes), make(right, right_sizes)
        try:
            expected = promoted(x, s)
        except RuntimeError:  # torch itself promotes few pairs with uint16 to uint64
            with pytest.raises((RuntimeError, ValueError)):
                ops.trig_mix(x, s)
            continue
        y = ops.trig_mix(x, s)
        assert y.dtype == expected, f"{left}{left_sizes} and {right}{right_sizes}"
        exact = ops.trig_mix(x.double(), s.double()).to(expected)
        assert torch.allclose(y.double(), exact.double(), rtol=3 * torch.finfo(expected).eps, atol=0)


def is_rounded(actual: torch.Tensor, wide: torch.Tensor) -> bool:
    """To the nearest, or, in a shorter formula for halves, to the next nearest, if `wide` is in the middle of both."""
    info = torch.finfo(actual.dtype)
    ulp = wide.double().abs().clamp(min=info.tiny).log2().floor().exp2() * info.eps
    distance = (actual.double() - wide.double()).abs()
    nearest = (wide.to(actual.dtype).double() - wide.double()).abs()
    # torch itself goes from float64 to bfloat16 through float32: it may be further away, never nearer.
    return bool(((distance <= nearest) | (info.bits == 16) & (distance <= 0.502 * ulp)).all())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_halves_are_computed_in_float32_and_rounded_once(dtype: torch.dtype) -> None:
    x = torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(dtype)
    x = x[x.isfinite()]
    for op in (ops.softplus, lambda t: ops.exp_sin(t, 2.0), lambda t: ops.trig_mix(t, 2.5)):
        assert is_rounded(op(x), op(x.float()))
        assert (op(x) != op(x.float()).to(dtype)).sum() < 100


@pytest.mark.parametrize("out", FLOATS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS + [torch.int32], ids=str)
def test_out_is_rounded_once_to_its_own_dtype(dtype: torch.dtype, out: torch.dtype) -> None:
    x = (torch.rand(20000) * 8 - 4).to(dtype)
    result = torch.empty(20000, dtype=out)
    ops.softplus.out(x, out=result)
    assert is_rounded(result, ops.softplus(x if dtype == torch.float64 else x.float()))


@pytest.mark.parametrize("dtype", INTEGERS + [torch.complex64], ids=str)
def test_the_dtype_of_what_is_written_does_not_change(dtype: torch.dtype) -> None:
    out = torch.ones(3).to(dtype)
    with pytest.raises((RuntimeError, ValueError), match=r"portops::softplus"):
        ops.softplus.out(torch.rand(3), out=out)
    with pytest.raises((RuntimeError, ValueError), match=r"portops::softplus"):
        ops.softplus_(out)
    assert torch.equal(out, torch.ones(3).to(dtype))


def test_in_place_takes_a_wider_second_operand_as_torch_does() -> None:
    for narrow, wide in itertools.product(FLOATS, FLOATS):
        x = torch.full((3,), 2.0, dtype=narrow)
        ops.trig_mix_(x, torch.full((3,), 2.0, dtype=wide))
        assert x.dtype == narrow
        assert torch.allclose(x.double(), torch.full((3,), 5.5726, dtype=torch.float64), rtol=0.01)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32], ids=str)
def test_complex_is_refused_by_name(dtype: torch.dtype) -> None:
    x = torch.ones(3).to(dtype)
    with pytest.raises((RuntimeError, ValueError), match=r"(?i)portops::softplus.*complex"):
        ops.softplus(x)
    for operands in ((x, torch.ones(3)), (torch.ones(3), x)):
        with pytest.raises((RuntimeError, ValueError), match=r"(?i)portops::trig_mix.*complex"):
            ops.trig_mix(*operands)
    with pytest.raises((RuntimeError, ValueError, TypeError), match=r"(?i)complex"):
        ops.exp_sin(torch.ones(3), 1j)
    with pytest.raises((RuntimeError, ValueError), match=r"(?i)portops::lfilter.*complex"):
        ops.lfilter(x, torch.ones(3), torch.ones(3))


def test_float8_is_refused_by_name() -> None:
    with pytest.raises((RuntimeError, ValueError), match=r"portops::softplus.*Float8"):
        ops.softplus(torch.ones(3).to(torch.float8_e4m3fn))
