# The backend is a property of Kokkos; here it is chosen among what this Kokkos has, or the configuration stops.
set(PORTOPS_BACKEND "" CACHE STRING "Backend: OPENMP, SERIAL, THREADS or CUDA; empty for what Kokkos has")
set_property(CACHE PORTOPS_BACKEND PROPERTY STRINGS "" OPENMP SERIAL THREADS CUDA)

set(portops_known_backends CUDA OPENMP THREADS SERIAL) # in the order of preference
set(portops_kokkos_backends)
foreach(backend IN LISTS portops_known_backends)
  # An installed Kokkos lists its backends, one that is built here has them as options.
  if(backend IN_LIST Kokkos_DEVICES OR (Kokkos_ORIGIN STREQUAL "fetched" AND Kokkos_ENABLE_${backend}))
    list(APPEND portops_kokkos_backends ${backend})
  endif()
endforeach()

set(portops_backend ${PORTOPS_BACKEND})
if(NOT PORTOPS_BACKEND)
  list(GET portops_kokkos_backends 0 portops_backend)
elseif(NOT PORTOPS_BACKEND IN_LIST portops_known_backends)
  message(FATAL_ERROR "PORTOPS_BACKEND must be one of ${portops_known_backends} (got ${PORTOPS_BACKEND})")
elseif(NOT PORTOPS_BACKEND IN_LIST portops_kokkos_backends)
  message(FATAL_ERROR "this Kokkos has no ${PORTOPS_BACKEND} backend (it has: ${portops_kokkos_backends}; "
    "${Kokkos_DIR}). Either install a Kokkos that was configured with -DKokkos_ENABLE_${PORTOPS_BACKEND}=ON and name "
    "its prefix in CMAKE_PREFIX_PATH, or let this project build one: -DPORTOPS_DEPENDENCIES=FETCH")
endif()
