"""Values, types, layouts and forms of operators that a user declared."""

import pytest
import torch
from operators import ELEMENTWISE, EVERY, ROWWISE, Case, inputs, mine, name, results

CASES = pytest.mark.parametrize("case", EVERY, ids=name)
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, -1).contiguous().transpose(0, -1),
    "every second": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "channels last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "expanded": lambda x: x[:1].expand_as(x),
    "offset": lambda x: torch.cat([x.new_zeros(1), x.flatten()])[1:].view_as(x),
}


def assert_same(actual, expected, **tolerances) -> None:
    for left, right in zip(results(actual), results(expected), strict=True):
        torch.testing.assert_close(left, right, **tolerances)


@CASES
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("sizes", [(7,), (3, 1), (2, 3, 1000), (1, 100_003)], ids=str)
def test_values(case: Case, dtype: torch.dtype, sizes: tuple[int, ...]) -> None:
    if case in ROWWISE and sizes[-1] > 1000:
        sizes = (300, 200)
    x = inputs(case, *sizes, dtype=dtype)
    tolerance = {"rtol": 2e-5, "atol": 1e-5} if case in ROWWISE and dtype == torch.float32 else {}  # of long sums
    assert_same(case(*x), case.reference(*x), **tolerance)


@CASES
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_types_are_computed_in_float32_and_rounded_once(case: Case, dtype: torch.dtype) -> None:
    x = inputs(case, 5, 77, dtype=dtype)
    expected = [result.to(dtype) for result in results(case(*(tensor.float() for tensor in x)))]
    for result, rounded in zip(results(case(*x)), expected, strict=True):
        assert result.dtype == dtype
        assert torch.equal(result, rounded)


@pytest.mark.parametrize("case", ELEMENTWISE, ids=name)
@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool], ids=str)
def test_integers_become_the_default_type(case: Case, dtype: torch.dtype) -> None:
    x = [torch.tensor([[1, 0, 1], [1, 1, 0]]).to(dtype)] * case.tensors
    for default in (torch.float32, torch.float64):
        before = torch.get_default_dtype()
        torch.set_default_dtype(default)
        try:
            assert_same(case(*x), case(*(tensor.to(default) for tensor in x)), rtol=0, atol=0)
        finally:
            torch.set_default_dtype(before)


def test_operands_promote_as_in_torch() -> None:
    kinds = [torch.ones(2, dtype=d) for d in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32)]
    kinds += [torch.ones((), dtype=torch.float64), torch.ones((), dtype=torch.int64)]
    for left in kinds:
        for right in kinds:
            dtype = torch.result_type(left, right)
            expected = dtype if dtype.is_floating_point else torch.get_default_dtype()
            assert mine.axpy(left, right).dtype == expected
            assert [result.dtype for result in mine.polar(left, right)] == [expected] * 2


@CASES
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(case: Case, layout: str) -> None:
    x = inputs(case, 4, 3, 5, 6, dtype=torch.float32)
    arranged = [LAYOUTS[layout](tensor) for tensor in x]
    expected = case(*(tensor.clone(memory_format=torch.contiguous_format) for tensor in arranged))
    # The compiler makes of a row's loop one for neighbours in memory and one for others: sums may round differently.
    tolerance = {"rtol": 0, "atol": 0} if case in ELEMENTWISE else {}
    assert_same(case(*arranged), expected, **tolerance)
    strides = torch.sin(arranged[0]).stride() if case in ELEMENTWISE else expected.stride()
    assert all(result.stride() == strides for result in results(case(*arranged)))


def test_shapes_broadcast() -> None:
    x, y = torch.rand(3, 1, dtype=torch.float64), torch.rand(2, 1, 4, dtype=torch.float64)
    assert_same(mine.axpy(x, y, 2), 2 * x + y)
    assert_same(mine.polar(x, y[0, 0, 0]), (torch.hypot(x, y[0, 0, 0]), torch.atan2(y[0, 0, 0].expand(3, 1), x)))
    sizes = ((3, 4), (4,), (), (3, 1), (1,), (3, 4), (1, 4), (3, 1))
    many = [torch.rand(size, dtype=torch.float64) for size in sizes]
    a, b, c, d, e, f, g, h = many
    expected = torch.broadcast_tensors(a * b, c * d * d, e.sin() * f, g - h)
    assert_same(mine.eight_tensors(*many), tuple(result.expand(3, 4) for result in expected))


@pytest.mark.parametrize("case", ELEMENTWISE, ids=name)
def test_scalars_and_empty_tensors(case: Case) -> None:
    x = inputs(case)
    assert_same(case(*x), case.reference(*x))
    for sizes in ((0,), (3, 0), (0, 5)):
        assert all(result.shape == sizes for result in results(case(*inputs(case, *sizes))))


def test_rows_may_be_empty_and_differ_in_length() -> None:
    for sizes in ((0,), (3, 0), (0, 5)):
        assert mine.decayed_sum(torch.ones(sizes)).shape == sizes
        assert mine.fir(torch.ones(sizes), torch.ones(2)).shape == sizes
    x, taps = torch.rand(2, 3, 50, dtype=torch.float64), torch.rand(3, 4, dtype=torch.float64)
    assert_same(mine.fir(x, taps), torch.stack([mine.fir(x[0], taps), mine.fir(x[1], taps)]))
    least, most = mine.extremes(x)
    assert_same((least, most), (x.cummin(-1).values, x.cummax(-1).values))


def test_results_depend_on_the_element_alone() -> None:
    threads, x = torch.get_num_threads(), torch.linspace(-5, 5, 70_001)
    whole = mine.swish(x)
    for length in (1, 5, 63, 64, 65, 1000, 16_385):
        assert torch.equal(mine.swish(x[7 : 7 + length]), whole[7 : 7 + length])
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            assert torch.equal(mine.swish(x), whole)
    finally:
        torch.set_num_threads(threads)


def test_in_place() -> None:
    for case, written in (("swish", mine.swish_), ("axpy", mine.axpy_), ("sinc", mine.sinc_)):
        call = next(c for c in ELEMENTWISE if c.name == case)
        x = inputs(call, 6, 5)
        view, expected, version = x[0][:, 1:4], call(*(tensor[:, 1:4] for tensor in x)), x[0]._version
        assert written(view, *(tensor[:, 1:4] for tensor in x[1:]), **call.parameters) is None
        assert_same(view, expected, rtol=0, atol=0)
        assert x[0]._version > version
    assert not hasattr(mine, "polar_") and not hasattr(mine, "decayed_sum_")


@CASES
def test_out(case: Case) -> None:
    x = inputs(case, 6, 5, dtype=torch.float32)
    expected = results(case(*x))
    overload = getattr(mine, case.name.split(".")[0])
    overload = getattr(overload, "real_out" if "." in case.name else "out")
    out = [torch.empty(5, 6).t() for _ in expected]
    names = ["out"] if len(out) == 1 else [f"out{k}" for k in range(len(out))]
    assert overload(*x, **case.parameters, **dict(zip(names, out, strict=True))) is None
    assert_same(tuple(out), expected, rtol=0, atol=0)


def test_special_values() -> None:
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([inf, 200.0, -200.0, nan, 0.0] * 20)
    assert_same(mine.swish(x)[:5], torch.tensor([inf, 200.0, 0.0, nan, 0.0]), equal_nan=True)
    values = torch.tensor([0.0, -0.0, 1e-30, nan, 1.0] * 20)
    assert_same(mine.sinc(values)[:5], torch.tensor([1, 1, 1, nan, 0.8414709848]), equal_nan=True)
