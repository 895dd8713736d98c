"""Libraries of operators come before or after the bridge, and a name belongs to one of them."""

import subprocess
import sys

import pytest

BRIDGE, CUSTOM, RIVAL = "PORTOPS_TORCH_LIBRARY", "PORTOPS_CUSTOM_LIBRARY", "PORTOPS_RIVAL_LIBRARY"


def run(*libraries: str, code: str) -> subprocess.CompletedProcess:
    """Loads the libraries in this order in a process of its own, then runs the code."""
    loads = "".join(f"torch.ops.load_library(os.environ['{library}'])\n" for library in libraries)
    code = "import os, torch\n" + loads + "x = torch.ones(3)\n" + code
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def assert_silent(done: subprocess.CompletedProcess) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("order", [(BRIDGE, CUSTOM), (CUSTOM, BRIDGE), (BRIDGE, CUSTOM, CUSTOM, BRIDGE)], ids=str)
def test_any_order(order: tuple[str, ...]) -> None:
    code = """
assert abs(torch.ops.mine.swish(x)[2].item() - 0.7310585786) < 1e-6
assert torch.ops.mine.decayed_sum(x, 0.5).tolist() == [1, 1.5, 1.75]
x.requires_grad_()
torch.ops.mine.swish(x).sum().backward()
assert abs(x.grad[0].item() - 0.9276705118) < 1e-6
"""
    assert_silent(run(*order, code=code))


@pytest.mark.parametrize("order", [(BRIDGE, CUSTOM, RIVAL), (CUSTOM, RIVAL, BRIDGE), (CUSTOM, BRIDGE, RIVAL)], ids=str)
def test_a_name_that_two_libraries_claim_is_an_error(order: tuple[str, ...]) -> None:
    code = """
for call in (torch.ops.mine.swish, torch.ops.mine.swish_):
    for tensor in (x, x.to("meta")):
        try:
            call(tensor)
        except ValueError as error:
            assert str(error).startswith("mine::swish: two operators were registered under this name"), error
        else:
            raise SystemExit("no error")
assert torch.ops.rival.twice(x).tolist() == [2, 2, 2]
assert torch.ops.mine.axpy(x, x, 3).tolist() == [4, 4, 4]
"""
    assert_silent(run(*order, code=code))


@pytest.mark.parametrize("order", [(BRIDGE, CUSTOM), (CUSTOM, BRIDGE)], ids=str)
def test_a_name_that_torch_has_already_is_said_and_the_rest_works(order: tuple[str, ...]) -> None:
    """Of another project, defined in Python. An exception while a library is loaded would end the process."""
    loads = "".join(f"torch.ops.load_library(os.environ['{library}'])\n" for library in order)
    code = f"""
torch.library.define("mine::swish", "(Tensor x) -> Tensor")
{loads}
try:
    torch.ops.mine.swish(x)
except (RuntimeError, NotImplementedError) as error:
    assert "mine::swish" in str(error), error
else:
    raise SystemExit("no error")
assert torch.ops.mine.axpy(x, x, 3).tolist() == [4, 4, 4]
assert torch.ops.portops.softplus(x).shape == x.shape
"""
    done = run(code=code)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "mine::swish: not registered, torch already has this operator" in done.stderr
