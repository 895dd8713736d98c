#pragma once
#include <cstddef>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/ulp.hpp"

namespace portops::test {

template <class T>
std::string exact(T value) {
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<T>::max_digits10) << value;
  return text.str();
}

/// Success if `actual` is within `ulps` units of `expected`; a unit is that of T at `scale`, which is `expected` unless
/// a formula promises less.
template <class T>
testing::AssertionResult near(T actual, long double expected, const std::string& what, long double scale,
                              long double ulps = allowed_ulp) {
  const long double distance = ulp_distance(actual, expected) * (ulp<T>(expected) / ulp<T>(scale));
  if (distance <= ulps) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << ": actual " << exact(actual) << ", expected " << exact(expected) << ", "
                                     << distance << " ulp";
}
template <class T>
testing::AssertionResult near(T actual, long double expected, const std::string& what) {
  return near(actual, expected, what, expected);
}

/// Success if check(i) succeeds for every i below `count`; else how many failed, and the first with its index.
template <class Check>
testing::AssertionResult all_of(std::size_t count, const Check& check) {
  std::size_t failures = 0;
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    const testing::AssertionResult result = check(i);
    if (result) continue;
    if (failures++ == 0) first = "[" + std::to_string(i) + "] " + result.message();
  }
  if (failures == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << failures << " of " << count << " fail, the first at " << first;
}

/// Success if the call throws an exception of type Exception whose text holds every one of `parts`.
template <class Exception, class Call>
testing::AssertionResult throws_with(const Call& call, std::initializer_list<std::string> parts) {
  try {
    call();
  } catch (const Exception& error) {
    const std::string text = error.what();
    for (const std::string& part : parts) {
      if (text.find(part) == std::string::npos) {
        return testing::AssertionFailure() << "the text lacks \"" << part << "\": " << text;
      }
    }
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace portops::test
