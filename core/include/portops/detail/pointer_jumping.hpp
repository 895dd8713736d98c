#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace portops::detail {

/// a * b + c, in one rounding wherever this is compiled for a processor that has it: always in the same order, so that
/// every path of an operator gives the same bits, and with half the time from one sample to the next.
template <class T>
inline T multiply_add(const T& a, const T& b, const T& c) {
#ifdef __FMA__
  if constexpr (std::is_floating_point_v<T>) return std::fma(a, b, c);
#endif
  return a * b + c;
}

/// y[i] = b + a * y[parent]; no parent below 0.
template <class T>
struct Link {
  T b, a;
  std::int64_t parent;
};

/// Pointer jumping: each sample holds y[i] = b + a * y[parent]; a round replaces it by what its parent holds, which
/// doubles the reach: b + a * b', a * a', parent'.
///
/// It stops when no sample has a parent left or every coefficient is exactly 0. Then y[i] = b[i]: what is left out is
/// a * y[parent] with a == 0, and it is 0 because y[parent] is finite. It is: all b are finite and |a| <= c < 1, hence
/// |y| <= max|b| / (1 - c), which `may_jump` asks to be within range. With an infinite or NaN input 0 * y would be NaN
/// where the sweep passes the value on, so such a row is swept; as is one with c near or above 1, whose coefficients do
/// not vanish. With c <= 3/4 at most nine rounds reach 0 in float32, twelve in float64: 2^r factors.
template <class T, class MakeLink, class Output, class Launch>
void jump_pointers(const MakeLink& make_link, const Output& y, std::int64_t length, const Launch& launch) {
  std::vector<Link<T>> links(static_cast<std::size_t>(length)), next(static_cast<std::size_t>(length));
  launch(length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) links[static_cast<std::size_t>(i)] = make_link(i);
  });
  for (bool more = true; more;) {
    std::atomic<bool> any{false};
    launch(length, [&](std::int64_t begin, std::int64_t end) {
      bool mine = false;
      for (std::int64_t i = begin; i < end; ++i) {
        const Link<T>& link = links[static_cast<std::size_t>(i)];
        Link<T> reached = link;
        if (link.parent >= 0 && link.a != T(0)) {
          const Link<T>& parent = links[static_cast<std::size_t>(link.parent)];
          reached = {multiply_add(link.a, parent.b, link.b), link.a * parent.a, parent.parent};
          mine |= reached.parent >= 0 && reached.a != T(0);
        }
        next[static_cast<std::size_t>(i)] = reached;
      }
      if (mine) any = true;
    });
    links.swap(next);
    more = any;
  }
  launch(length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = links[static_cast<std::size_t>(i)].b;
  });
}

}  // namespace portops::detail
