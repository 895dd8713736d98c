"""What cannot be done is an error that names the operator; nothing is written."""

import pytest
import torch
from operators import mine, refused

DEVICES = pytest.mark.parametrize("device", ["cpu", "meta"])


@DEVICES
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
def test_complex(device: str, dtype: torch.dtype) -> None:
    x = torch.ones(3, dtype=dtype, device=device)
    with refused("swish", "complex"):
        mine.swish(x)
    with refused("polar", "complex"):
        mine.polar(x, x)
    with refused("decayed_sum", "complex"):
        mine.decayed_sum(x)
    with refused("power", "complex"):
        mine.power(torch.ones(3, device=device), 2j)


@DEVICES
def test_shapes(device: str) -> None:
    x = torch.ones(2, 3, device=device)
    with refused("axpy", r"\(2, 3\)", r"\(4\)"):
        mine.axpy(x, torch.ones(4, device=device))
    with refused("axpy", r"\(2, 3\)"):
        mine.axpy_(torch.ones(3, device=device), x)
    with refused("swish", r"\(2, 3\)"):
        mine.swish.out(x, out=torch.empty(3, 2, device=device))
    with refused("polar", "shape"):
        mine.polar.out(x, x, out0=torch.empty(2, 3, device=device), out1=torch.empty(3, 2, device=device))
    with refused("decayed_sum", "axis"):
        mine.decayed_sum(torch.ones((), device=device))
    with refused("fir", "axes"):
        mine.fir(x, torch.ones(3, 2, device=device))
    with refused("decayed_sum", r"\(2, 3\)"):
        mine.decayed_sum.out(x, out=torch.empty(2, 4, device=device))


@DEVICES
def test_types(device: str) -> None:
    x, integers = torch.ones(3, device=device), torch.ones(3, dtype=torch.int64, device=device)
    with refused("swish", "dtype"):
        mine.swish_(integers)
    with refused("swish", "dtype"):
        mine.swish.out(x, out=integers.clone())
    with refused("decayed_sum", "floating"):
        mine.decayed_sum(integers)


@DEVICES
def test_overlaps(device: str) -> None:
    base = torch.rand(20, device=device)
    before = base.clone()
    with refused("swish", "overlap"):
        mine.swish_(base[:1].expand(5))
    with refused("swish", "overlap"):
        mine.swish.out(base[:10], out=base[1:11])
    with refused("polar", "overlap"):
        mine.polar.out(base[10:15], base[10:15], out0=base[:5], out1=base[:5])
    with refused("decayed_sum", "overlap"):
        mine.decayed_sum.out(base, out=base)
    if device == "cpu":
        assert torch.equal(base, before)


@pytest.mark.filterwarnings("ignore")
def test_tensors_without_plain_memory() -> None:
    strange = (
        torch.eye(3).to_sparse(),
        torch.eye(3).to_sparse_csr(),
        torch.ones(3, 3).to_mkldnn(),
        torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    )
    for tensor in strange:
        with refused("swish", "not supported"):
            mine.swish(tensor)
        with refused("axpy", "not supported"):
            mine.axpy(torch.ones(3), tensor)
        with refused("decayed_sum", "not supported"):
            mine.decayed_sum(tensor)


def test_devices_are_not_mixed() -> None:
    plain, meta = torch.ones(3), torch.ones(3, device="meta")
    with refused("axpy", "device"):
        mine.axpy(plain, meta)
    with refused("fir", "device"):
        mine.fir(plain, meta)
    with refused("swish", "device"):
        mine.swish.out(plain, out=meta)


def test_arguments_that_the_schema_does_not_have() -> None:
    x = torch.ones(3)
    for call in (
        lambda: mine.swish(x, gamma=1),
        lambda: mine.swish(x, "1"),
        lambda: mine.swish(),
        lambda: mine.swish(None),
        lambda: mine.axpy(x),
    ):
        with refused("swish|mine::axpy"):
            call()


def test_lazy_bits_are_resolved() -> None:
    x = torch.rand(3, 2, dtype=torch.float64)
    negative = torch.view_as_complex(x).conj().imag
    assert negative.is_neg()
    torch.testing.assert_close(mine.swish(negative), mine.swish(negative.resolve_neg()))
    torch.testing.assert_close(mine.decayed_sum(negative), mine.decayed_sum(negative.resolve_neg()))


def test_the_next_good_call_works() -> None:
    x = torch.rand(10)
    expected = mine.swish(x)
    for _ in range(10):
        with refused("swish"):
            mine.swish.out(x, out=torch.empty(11))
    assert torch.equal(mine.swish(x), expected)
