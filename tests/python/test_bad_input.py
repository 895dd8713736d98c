"""Bad input is an error that names operator, argument, rule and value; nothing is written, and nothing dies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from bad_input_cases import all_cases, freed
from refusal import Case, complaint

ops = torch.ops.portops
CASES = all_cases()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_is_refused_by_name(case: Case) -> None:
    wrong = complaint(case)
    assert not wrong, wrong


def run_cases(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, Path(__file__).with_name("bad_input_cases.py"), *arguments],
        env=os.environ | {"OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_case_raises_in_one_process_which_ends_well() -> None:
    done = run_cases()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{len(CASES)} of {len(CASES)} raised\n"


def test_tensors_whose_memory_is_freed_are_refused_without_a_crash() -> None:
    done = run_cases("freed")
    assert (done.returncode, done.stderr) == (0, "")
    count = len(freed())
    assert done.stdout == f"{count} of {count} raised\n"


def test_lazy_negative_inputs_are_resolved() -> None:
    plain = torch.tensor([1.0 + 2.0j, -3.0 + 0.5j])
    lazy = plain.conj().imag
    assert lazy.is_neg()
    values = -plain.imag
    for call in (
        lambda x: ops.softplus(x),
        lambda x: ops.trig_mix(x, 2.5),
        lambda x: ops.trig_mix(torch.ones(2), x),
        lambda x: ops.exp_sin(x, x),
        lambda x: ops.delay_line(x, torch.tensor(1)),
        lambda x: ops.softplus_vjp([x], [x], 1.0, 20.0, [True])[0],
    ):
        assert torch.equal(call(lazy), call(values.clone()))
    expected = ops.softplus(values)
    ops.softplus_(lazy)
    assert torch.equal(lazy, expected)
    assert torch.equal(plain.imag, -expected)
