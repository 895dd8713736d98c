"""The operators from Python: use.py libportops_torch.so libmine.so"""

import sys

import torch

for library in sys.argv[1:]:
    torch.ops.load_library(library)
mine = torch.ops.mine

x = torch.linspace(-3, 3, 1000, dtype=torch.float64, requires_grad=True)
y = mine.swish(x, beta=1.0)
torch.testing.assert_close(y, torch.nn.functional.silu(x))

# Gradients, to second order.
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
s = torch.sigmoid(x)
torch.testing.assert_close(first, s + x * s * (1 - s))
torch.testing.assert_close(second, s * (1 - s) * (2 + x * (1 - 2 * s)))

# Several results; broadcasting; half precision in, half precision out.
radius, angle = mine.polar(torch.ones(3, 1), torch.ones(4))
torch.testing.assert_close(radius, torch.full((3, 4), 2**0.5))
assert mine.swish(torch.ones(3, dtype=torch.float16)).dtype == torch.float16

# Into memory that is there already.
total = torch.zeros(1000, dtype=torch.float64)
mine.axpy.out(x.detach(), total, a=2.0, out=total)
mine.swish_(total)
torch.testing.assert_close(total, torch.nn.functional.silu(2 * x.detach()))

# torch.compile without a graph break, and torch.func.
compiled = torch.compile(lambda x: mine.decayed_sum(mine.swish(x), 0.5).sin(), fullgraph=True)
torch.testing.assert_close(compiled(x), mine.decayed_sum(mine.swish(x), 0.5).sin())
slopes = torch.vmap(torch.func.grad(lambda x: mine.sinc(x)))(x.detach())
torch.testing.assert_close(slopes, (x.cos() - x.sin() / x) / x)
print("custom operators work from Python")
