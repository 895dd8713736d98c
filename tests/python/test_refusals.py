"""What cannot be done is an error that names operator, argument, rule and values; nothing is written."""

import pytest
import torch

ops = torch.ops.portops
ERRORS = (RuntimeError, ValueError)


def refused(operator: str, *parts: str):
    """An error with the operator's name in front and these parts, in this order."""
    return pytest.raises(ERRORS, match=r"(?is)portops::" + operator + "".join(".*" + part for part in parts))


class WithoutMemory:
    """Tensors that are not plain memory, each with what the error says of it."""

    sparse = (torch.ones(3, 3).to_sparse(), "Sparse")
    csr = (torch.eye(3).to_sparse_csr(), "SparseCsr")
    quantized = (torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "quantized|QInt8")
    nested = (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "nested")
    mkldnn = (torch.ones(3, 3).to_mkldnn(), "mkldnn")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["sparse", "csr", "quantized", "nested", "mkldnn"])
def test_tensors_without_plain_memory(kind: str) -> None:
    tensor, part = getattr(WithoutMemory, kind)
    with refused("softplus", part):
        ops.softplus(tensor)
    with refused("softplus", part):
        ops.softplus_(tensor)
    with refused("softplus", part):
        ops.softplus.out(torch.ones(3), out=tensor)
    with refused("trig_mix", part):
        ops.trig_mix(torch.ones(3), tensor)
    with refused("delay_line", part):
        ops.delay_line(torch.ones(3), tensor)


def test_jagged_nested_tensors() -> None:
    tensor = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    with pytest.raises(Exception, match=r"(?i)portops|nested|jagged"):
        ops.softplus(tensor)


def test_the_argument_is_named() -> None:
    strange = torch.ones(3, dtype=torch.float8_e5m2)
    with refused("delay_line", "delays"):
        ops.delay_line(torch.ones(3), strange)
    with refused("delay_line", "samples"):
        ops.delay_line(strange, torch.ones(3, dtype=torch.int64))
    with refused("softplus", "argument=out"):
        ops.softplus.out(torch.ones(3), out=strange)


@pytest.mark.parametrize(
    ("operator", "call"),
    [
        ("softplus", lambda plain, meta: ops.softplus.out(plain, out=meta)),
        ("softplus", lambda plain, meta: ops.softplus.out(meta, out=plain)),
        ("trig_mix", lambda plain, meta: ops.trig_mix(plain, meta)),
        ("trig_mix", lambda plain, meta: ops.trig_mix(meta, plain)),
        ("trig_mix", lambda plain, meta: ops.trig_mix_(plain, meta)),
        ("delay_line", lambda plain, meta: ops.delay_line(plain, meta.to(torch.int64))),
    ],
)
def test_mixed_devices(operator: str, call) -> None:
    plain = torch.ones(3)
    with refused(operator, "(meta|device)"):
        call(plain, torch.ones(3, device="meta"))
    assert torch.equal(plain, torch.ones(3))


def test_a_scalar_tensor_on_the_host_may_join_a_tensor_on_another_device_only_there() -> None:
    """Here there is no other device than meta; what torch.add accepts is accepted with the same result."""
    meta, scalar = torch.ones(3, device="meta"), torch.tensor(2.0)
    assert torch.add(meta, scalar).device.type == "meta"
    y = ops.trig_mix(meta, scalar)
    assert (y.device.type, y.shape, y.dtype) == ("meta", (3,), torch.float32)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize(("sizes", "strides"), [((10,), (0,)), ((1, 10), (1, 0)), ((4, 4), (2, 1)), ((4, 4), (1, 1))])
def test_written_tensors_that_overlap(device: str, sizes: tuple[int, ...], strides: tuple[int, ...]) -> None:
    base = torch.rand(30, device=device)
    before, out = base.clone(), base.as_strided(sizes, strides)
    with refused("softplus", "overlap"):
        ops.softplus.out(torch.rand(sizes, device=device), out=out)
    with refused("softplus", "overlap"):
        ops.softplus_(out)
    with refused("trig_mix", "overlap"):
        ops.trig_mix_(out, 2)
    with refused("delay_line", "overlap"):
        ops.delay_line_(out, torch.ones((), dtype=torch.int64, device=device))
    if device == "cpu":
        assert torch.equal(base, before)


def test_partly_overlapping_tensors() -> None:
    base = torch.rand(30)
    before = base.clone()
    for x, out in (
        (base[:10], base[1:11]),
        (base[1:11], base[:10]),
        (base[:20:2], base[:10]),
        (base[:9].view(3, 3), base[:9].view(3, 3).t()),
        (base[3], base[:10]),
    ):
        with refused("softplus", "overlap" if x.shape == out.shape else "shape"):
            ops.softplus.out(x, out=out)
        with refused("trig_mix", "overlap"):
            ops.trig_mix.out(torch.rand(out.shape), x, out=out)
    assert torch.equal(base, before)


def test_interleaved_tensors_are_fine() -> None:
    base = torch.rand(10, 4)
    expected = ops.softplus(base[:, 0].clone())
    ops.softplus.out(base[:, 0], out=base[:, 1])
    assert torch.equal(base[:, 1], expected)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_shapes_that_do_not_broadcast(device: str) -> None:
    x = torch.rand(2, 3, device=device)
    with refused("trig_mix", r"\(2, 3\)", r"\(4\)"):
        ops.trig_mix(x, torch.rand(4, device=device))
    with refused("trig_mix", r"\(2, 3\)"):  # in place cannot grow
        ops.trig_mix_(torch.rand(3, device=device), x)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("sizes", [(3, 2), (2, 3, 1), (6,), (0,), (1, 2, 3), (4, 2, 3)])
def test_outputs_of_another_shape(device: str, sizes: tuple[int, ...]) -> None:
    x, out = torch.rand(2, 3, device=device), torch.empty(sizes, device=device)
    with refused("softplus", r"\(2, 3\)"):
        ops.softplus.out(x, out=out)
    with refused("trig_mix", r"\(2, 3\)"):
        ops.trig_mix.out(x, x[0], out=out)
    with refused("delay_line", r"\(2, 3\)"):
        ops.delay_line.out(x, torch.ones((), dtype=torch.int64, device=device), out=out)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("sizes", [(2,), (3, 3), (1, 2, 3)])
def test_delays_of_another_shape(device: str, sizes: tuple[int, ...]) -> None:
    with refused("delay_line", r"\(2, 3\)"):
        ops.delay_line(torch.rand(2, 3, device=device), torch.ones(sizes, dtype=torch.int64, device=device))


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_samples_without_a_time_axis(device: str) -> None:
    with refused("delay_line", "axis"):
        ops.delay_line(torch.rand((), device=device), torch.ones((), dtype=torch.int64, device=device))


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bool, torch.complex64], ids=str)
def test_delays_that_are_no_integers(device: str, dtype: torch.dtype) -> None:
    x, d = torch.rand(3, device=device), torch.ones(3, dtype=dtype, device=device)
    with refused("delay_line", "delays", "integer"):
        ops.delay_line(x, d)
    with refused("delay_line", "delays", "integer"):
        ops.delay_line_(x, d)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.bool], ids=str)
def test_samples_that_are_no_floats(device: str, dtype: torch.dtype) -> None:
    x, d = torch.ones(3, dtype=dtype, device=device), torch.ones(3, dtype=torch.int32, device=device)
    with refused("delay_line", "samples"):
        ops.delay_line(x, d)
    with refused("delay_line"):
        ops.delay_line_(x, d)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_outputs_of_a_dtype_that_does_not_fit(device: str) -> None:
    x, d = torch.rand(3, device=device), torch.ones(3, dtype=torch.int32, device=device)
    for dtype in (torch.int64, torch.bool):
        with refused("delay_line", "dtype"):
            ops.delay_line.out(x, d, out=torch.empty(3, dtype=dtype, device=device))
        with refused("softplus", "dtype"):
            ops.softplus.out(x, out=torch.empty(3, dtype=dtype, device=device))
        with refused("softplus", "dtype"):
            ops.softplus_(x.to(dtype))
    for dtype in (torch.complex64, torch.complex128):
        with refused("softplus", "complex"):
            ops.softplus(x.to(dtype))
        with refused("softplus", "(complex|floating)"):
            ops.softplus.out(x, out=torch.empty(3, dtype=dtype, device=device))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64], ids=str)
def test_negative_delays_write_nothing(dtype: torch.dtype) -> None:
    x, d = torch.rand(4, 30), torch.ones(4, 30, dtype=dtype)
    d[2, 17], d[3, 0] = -3, -100
    before, out = x.clone(), torch.full((4, 30), 5.0)
    with refused("delay_line", "negative", "77", "-3"):
        ops.delay_line(x, d)
    with refused("delay_line", "negative", "77", "-3"):
        ops.delay_line_(x, d)
    with refused("delay_line", "negative", "77", "-3"):
        ops.delay_line.out(x, d, out=out)
    assert torch.equal(x, before)
    assert (out == 5).all()
    assert torch.equal(ops.delay_line(x, d.abs())[0], ops.delay_line(x[0], d[0]))  # the next good call works


def test_out_must_not_be_the_delays_memory() -> None:
    x, memory = torch.rand(10), torch.ones(10, dtype=torch.int32)
    with refused("delay_line", "overlap"):
        ops.delay_line.out(x, memory, out=memory.view(torch.float32))
