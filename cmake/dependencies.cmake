# The one policy for packages that this project can also build itself: AUTO takes an installed package and fetches a
# pinned one where there is none, INSTALLED never fetches, FETCH always does. A git commit is a hash of its content.
set(PORTOPS_DEPENDENCIES AUTO CACHE STRING "Where Kokkos, GoogleTest and Google Benchmark come from")
set_property(CACHE PORTOPS_DEPENDENCIES PROPERTY STRINGS AUTO INSTALLED FETCH)
if(NOT PORTOPS_DEPENDENCIES MATCHES "^(AUTO|INSTALLED|FETCH)$")
  message(FATAL_ERROR "PORTOPS_DEPENDENCIES must be AUTO, INSTALLED or FETCH (got ${PORTOPS_DEPENDENCIES})")
endif()
include(FetchContent)

# portops_need(<package> <versions> <git repository> <commit> <what to install>); sets <package>_ORIGIN.
macro(portops_need package versions repository commit advice)
  set(${package}_ORIGIN installed)
  if(NOT PORTOPS_DEPENDENCIES STREQUAL "FETCH")
    find_package(${package} ${versions} QUIET)
  endif()
  if(NOT ${package}_FOUND AND PORTOPS_DEPENDENCIES STREQUAL "INSTALLED")
    message(FATAL_ERROR "${package} (${versions}) was not found: ${advice}")
  elseif(NOT ${package}_FOUND)
    set(${package}_ORIGIN fetched)
    portops_fetch(${package} ${repository} ${commit} "${advice}")
  endif()
endmacro()

# A macro, because a fetched project tells its options through variables.
macro(portops_fetch package repository commit advice)
  string(TOLOWER ${package} portops_name)
  portops_check_reachable(${package} ${repository} "${advice}")
  message(STATUS "${package}: building ${repository} at ${commit}")
  FetchContent_Declare(${portops_name} GIT_REPOSITORY ${repository} GIT_TAG ${commit} SYSTEM)
  FetchContent_MakeAvailable(${portops_name})
  get_directory_property(${package}_VERSION DIRECTORY ${${portops_name}_SOURCE_DIR} DEFINITION ${package}_VERSION)
endmacro()

# FetchContent fails with two pages of text; this fails with one sentence.
function(portops_check_reachable package repository advice)
  string(TOLOWER ${package} name)
  string(TOUPPER ${package} upper)
  if(FETCHCONTENT_SOURCE_DIR_${upper} OR FETCHCONTENT_FULLY_DISCONNECTED OR EXISTS ${FETCHCONTENT_BASE_DIR}/${name}-src)
    return()
  endif()
  execute_process(COMMAND git ls-remote ${repository} HEAD RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET TIMEOUT 30)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${package} is not installed (or PORTOPS_DEPENDENCIES=FETCH), and ${repository} cannot be "
      "reached with git: ${advice}")
  endif()
endfunction()

macro(portops_need_kokkos)
  # Read only by a Kokkos that is built here: it gets the backend that was asked for, OpenMP unless told otherwise, and
  # our C++ standard (its own default is older).
  set(CMAKE_CXX_STANDARD 20)
  if(PORTOPS_BACKEND)
    set(Kokkos_ENABLE_${PORTOPS_BACKEND} ON)
  else()
    set(Kokkos_ENABLE_OPENMP ON)
  endif()
  portops_need(Kokkos 4.6...<6 https://github.com/kokkos/kokkos.git 1b1383c6001f3bfe9fe309ca923c2d786600cc79
    "install Kokkos 4.6 or newer (Debian unstable: libkokkos-dev) and name its prefix in CMAKE_PREFIX_PATH")
endmacro()

macro(portops_need_googletest)
  set(INSTALL_GTEST OFF)
  portops_need(GTest 1.12 https://github.com/google/googletest.git 52eb8108c5bdec04579160ae17225d66034bd723
    "install GoogleTest (Debian: libgtest-dev), or configure with -DPORTOPS_TESTS=OFF")
endmacro()

macro(portops_need_benchmark)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_TESTING OFF)
  portops_need(benchmark 1.8 https://github.com/google/benchmark.git eddb0241389718a23a42db6af5f0164b6e0139af
    "install Google Benchmark (Debian: libbenchmark-dev), or configure with -DPORTOPS_BENCHMARKS=OFF")
endmacro()
