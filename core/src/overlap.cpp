#include <portops/detail/overlap.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <portops/detail/shapes.hpp>

namespace portops::detail {
namespace {

/// One dimension of the equation sum(stride * x) = target with 0 <= x <= last.
struct Term {
  std::int64_t stride;
  std::int64_t last;
};

/// Steps after which the search gives up and answers "overlaps": refusing is safe. Real layouts need a handful.
constexpr int step_limit = 20000;

/// Searches a solution of sum(stride * x) in [low, high] over the terms from `at` on; strides are positive and
/// descending. `reach[at]` is the largest sum of those terms, `divisor[at]` divides all their strides.
struct Search {
  std::vector<Term> terms;
  std::vector<std::int64_t> reach, divisor;
  int steps = 0;

  explicit Search(std::vector<Term> unsorted) : terms(std::move(unsorted)) {
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.stride > b.stride; });
    reach.assign(terms.size() + 1, 0);
    divisor.assign(terms.size() + 1, 0);
    for (std::size_t at = terms.size(); at-- > 0;) {
      reach[at] = reach[at + 1] + terms[at].stride * terms[at].last;
      divisor[at] = std::gcd(divisor[at + 1], terms[at].stride);
    }
  }

  static std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  bool solvable(std::size_t at, std::int64_t low, std::int64_t high) {
    if (high < 0 || low > reach[at]) return false;
    if (low <= 0) return true;
    if (at == terms.size()) return false;
    if (floor_div(high, divisor[at]) * divisor[at] < low) return false;
    const auto [stride, last] = terms[at];
    const std::int64_t first = std::max<std::int64_t>(0, -floor_div(-(low - reach[at + 1]), stride));
    const std::int64_t end = std::min(last, floor_div(high, stride));
    for (std::int64_t x = end; x >= first; --x) {
      if (++steps > step_limit) return true;
      if (solvable(at + 1, low - stride * x, high - stride * x)) return true;
    }
    return false;
  }
};

/// Adds the dimensions of a tensor in bytes; a negative stride counts from its far end, which moves `start` there.
void add_terms(const TensorRef& tensor, std::vector<Term>& terms, std::int64_t& start) {
  for (int dim = 0; dim < tensor.rank; ++dim) {
    const std::int64_t stride = tensor.stride(dim) * size_of(tensor.dtype), last = tensor.sizes[dim] - 1;
    if (last <= 0 || stride == 0) continue;
    if (stride < 0) start += stride * last;
    terms.push_back({std::abs(stride), last});
  }
}

/// The lowest address of a tensor and the bytes up to the end of its highest element.
struct Extent {
  std::int64_t begin, end;
};

Extent extent(const TensorRef& tensor) {
  std::int64_t begin = 0, end = size_of(tensor.dtype);
  for (int dim = 0; dim < tensor.rank; ++dim) {
    const std::int64_t reach = tensor.stride(dim) * size_of(tensor.dtype) * (tensor.sizes[dim] - 1);
    (reach < 0 ? begin : end) += reach;
  }
  const auto base = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(tensor.data));
  return {base + begin, base + end};
}

}  // namespace

bool overlaps_itself(const TensorRef& tensor) {
  if (tensor.numel() <= 1 || is_row_major(tensor)) return false;
  std::vector<Term> terms;
  for (int dim = 0; dim < tensor.rank; ++dim) {
    const std::int64_t stride = std::abs(tensor.stride(dim));
    if (tensor.sizes[dim] == 1) continue;
    if (stride == 0) return true;
    terms.push_back({stride, tensor.sizes[dim] - 1});
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.stride < b.stride; });
  std::int64_t reach = 0;
  bool nested = true;
  for (const auto& term : terms) {
    nested = nested && term.stride > reach;
    reach += term.stride * term.last;
  }
  if (nested) return false;
  // Two indices meet if some difference of indices, not all zero, has offset 0. With the outermost nonzero difference
  // positive, shift the others to be counted from zero: sum(stride * (x - last)) over the rest must equal -stride * k.
  for (std::size_t outer = 0; outer < terms.size(); ++outer) {
    std::vector<Term> rest;
    std::int64_t shift = 0;
    for (std::size_t inner = outer + 1; inner < terms.size(); ++inner) {
      rest.push_back({terms[inner].stride, 2 * terms[inner].last});
      shift += terms[inner].stride * terms[inner].last;
    }
    rest.push_back({terms[outer].stride, terms[outer].last - 1});
    const std::int64_t target = shift - terms[outer].stride;
    if (Search(rest).solvable(0, target, target)) return true;
  }
  return false;
}

bool overlap(const TensorRef& left, const TensorRef& right) {
  if (left.device != right.device || left.numel() == 0 || right.numel() == 0) return false;
  const Extent a = extent(left), b = extent(right);
  if (a.end <= b.begin || b.end <= a.begin) return false;
  // left + sum(terms of left) = right + sum(terms of right), within the bytes of an element: mirror right's terms.
  std::vector<Term> terms;
  std::int64_t left_shift = 0, right_shift = 0;
  add_terms(left, terms, left_shift);
  const std::size_t own = terms.size();
  add_terms(right, terms, right_shift);
  std::int64_t mirrored = 0;
  for (std::size_t at = own; at < terms.size(); ++at) mirrored += terms[at].stride * terms[at].last;
  const std::int64_t difference =
      (static_cast<char*>(right.data) + right_shift + mirrored) - (static_cast<char*>(left.data) + left_shift);
  return Search(terms).solvable(0, difference - size_of(left.dtype) + 1, difference + size_of(right.dtype) - 1);
}

bool same_memory(const TensorRef& left, const TensorRef& right) {
  if (left.data != right.data || left.dtype != right.dtype || left.rank != right.rank) return false;
  for (int dim = 0; dim < left.rank; ++dim) {
    if (left.sizes[dim] != right.sizes[dim]) return false;
    if (left.sizes[dim] != 1 && left.stride(dim) != right.stride(dim)) return false;
  }
  return true;
}

}  // namespace portops::detail
