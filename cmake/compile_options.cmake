# How this project's own targets are compiled: warnings, optimisation, sanitizers.
include(CheckCXXCompilerFlag)

set(portops_sanitize_options)
if(PORTOPS_SANITIZE)
  # With the three that are left out g++ takes no address for a constant, and schemas are parsed at compile time; an
  # access through null is found anyway.
  set(portops_sanitize_options -fsanitize=${PORTOPS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
  add_compile_options(${portops_sanitize_options})
  add_link_options(-fsanitize=${PORTOPS_SANITIZE})
endif()

function(portops_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor>
    $<$<BOOL:${PORTOPS_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# Kernels need -O3: RelWithDebInfo stops at -O2, where g++ vectorises little.
function(portops_optimise target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
endfunction()

# What a functor of the user's needs as well to be vectorised: no errno and no trapping from the mathematical functions
# (their values stay exact, unlike with -ffast-math) and glibc's vector versions of them; and no contraction, so that a
# formula has the same bits in every file. -march=native never leaves the build tree: an installed library must not
# decide for its users.
function(portops_vector_options target)
  target_compile_options(${target} PUBLIC
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-fno-math-errno;-fno-trapping-math;-ffp-contract=off>)
  find_library(PORTOPS_MVEC_LIBRARY mvec DOC "glibc's vectorised mathematics (x86-64)")
  mark_as_advanced(PORTOPS_MVEC_LIBRARY)
  if(PORTOPS_MVEC_LIBRARY)
    target_link_libraries(${target} PUBLIC mvec)
  endif()
  if(PORTOPS_NATIVE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-march=native>)
    check_cxx_compiler_flag(-mprefer-vector-width=512 PORTOPS_HAS_VECTOR_WIDTH)
    if(PORTOPS_HAS_VECTOR_WIDTH)
      target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-mprefer-vector-width=512>)
    endif()
  endif()
endfunction()
