"""What a process notices: threads, output, exit code, forks, exceptions after an error."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch

ops = torch.ops.portops

LOAD = """
import os, sys, torch
torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])
ops = torch.ops.portops
"""


def run(code: str, seconds: float = 60, **environment: str) -> subprocess.CompletedProcess:
    """Runs Python code in a process of its own; one that hangs is ended, with its children."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOAD + code],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        pytest.fail(f"hangs for {seconds} seconds")
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def assert_silent(done: subprocess.CompletedProcess, output: str = "") -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_loading_and_running_is_silent() -> None:
    assert_silent(run(""))
    assert_silent(run("ops.softplus(torch.rand(10**6))"))
    assert_silent(run("ops.softplus(torch.rand(10**6))", OMP_NUM_THREADS="1"))
    assert_silent(
        run(
            "import threading\nt = threading.Thread(target=lambda: ops.softplus(torch.rand(10**6)))\n"
            "t.start(); t.join(); print(ops.softplus(torch.rand(10**6)).numel())"
        ),
        "1000000\n",
    )


def test_arguments_and_environment_are_untouched() -> None:
    code = """
before, arguments = dict(os.environ), list(sys.argv)
ops.softplus(torch.rand(10**6))
assert dict(os.environ) == before and sys.argv == arguments
"""
    assert_silent(run(code, KOKKOS_NUM_THREADS="1"))


def test_thread_settings_are_untouched_and_respected() -> None:
    code = """
def threads():
    return len(os.listdir("/proc/self/task"))
torch.set_num_threads(1)
torch.rand(10)
before = threads()
ops.softplus(torch.rand(10**6))
assert torch.get_num_threads() == 1
assert threads() == before, (before, threads())
torch.set_num_threads(4)
ops.softplus(torch.rand(10**6))
assert torch.get_num_threads() == 4
assert threads() == before + 3, (before, threads())
"""
    assert_silent(run(code))


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 8])
def test_results_do_not_depend_on_threads(threads: int) -> None:
    before = torch.get_num_threads()
    x, d = torch.rand(37, 9001), torch.randint(0, 50, (37, 9001))
    try:
        torch.set_num_threads(1)
        expected = ops.softplus(x), ops.trig_mix(x.t(), 2.5), ops.delay_line(x, d)
        torch.set_num_threads(threads)
        actual = ops.softplus(x), ops.trig_mix(x.t(), 2.5), ops.delay_line(x, d)
    finally:
        torch.set_num_threads(before)
    for left, right in zip(actual, expected, strict=True):
        assert torch.equal(left, right)


def test_length_and_position_do_not_matter() -> None:
    x = torch.rand(700) * 20 - 10
    whole = ops.softplus(x)
    for length in range(1, 301):
        for start in (0, length % 67, 700 - length):
            assert torch.equal(ops.softplus(x[start : start + length]), whole[start : start + length])


# Torch's own operators may hang in a child, so a child runs those of portops alone, on tensors of its parent.
FORKS = """
x, ones, d = torch.linspace(-5, 5, 10**6), torch.ones(300, 1000), torch.ones(1000, dtype=torch.int64)

def check():
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            y = ops.softplus(x).numpy()
            z = ops.delay_line(ones, d).numpy()
            good = abs(y[-1] - 5.006715348) < 1e-5 and abs(y[0] - 0.006715348) < 1e-7 and (z == 1).all()
            os._exit(0 if good else 1)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize(
    "parent",
    [
        "ops.softplus(torch.rand(10**6))",
        "torch.sin(torch.rand(10**6))",  # torch's threads, but none of portops'
        "torch.sin(torch.rand(10**6)); ops.softplus(torch.rand(10))",
    ],
    ids=["portops ran", "torch ran", "portops ran small"],
)
def test_forked_children_work(parent: str) -> None:
    done = run("torch.set_num_threads(2)\n" + parent + "\n" + FORKS + "check()", seconds=15)
    assert done.returncode == 0, done.stderr


def test_a_child_of_a_child_works_and_the_parent_goes_on() -> None:
    code = (
        FORKS
        + """
ops.softplus(x)
child = os.fork()
if child == 0:
    check()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
check()
assert abs(ops.softplus(x)[-1].item() - 5.006715348) < 1e-5
"""
    )
    done = run("torch.set_num_threads(2)\n" + code, seconds=15)
    assert done.returncode == 0, done.stderr


def test_several_threads_call_at_once() -> None:
    x = torch.rand(200000)
    expected = ops.softplus(x)
    results: list[torch.Tensor | None] = [None] * 6

    def work(at: int) -> None:
        for _ in range(20):
            results[at] = ops.softplus(x)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(result, expected) for result in results)


def test_the_interpreter_lock_is_released() -> None:
    """Another Python thread goes on while a kernel runs."""
    samples, delays = torch.rand(1, 40_000_000), torch.ones((), dtype=torch.int64)
    ticks, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    time.sleep(0.05)
    begin, before = time.monotonic(), ticks[0]
    ops.delay_line_(samples, delays)
    during, seconds = ticks[0] - before, time.monotonic() - begin
    done.set()
    counter.join()
    assert during > 50 * seconds


def test_a_failed_call_leaves_the_next_one_alone() -> None:
    x = torch.rand(10)
    expected = ops.softplus(x)
    for _ in range(100):
        with pytest.raises((RuntimeError, ValueError)):
            ops.softplus.out(x, out=torch.empty(11))
    assert torch.equal(ops.softplus(x), expected)


def test_floating_point_state_is_untouched() -> None:
    tiny = torch.tensor([1e-40])
    ops.softplus(torch.rand(10**6))
    assert (tiny * 0.5).item() != 0
    assert sys.float_info.min / 4 != 0
