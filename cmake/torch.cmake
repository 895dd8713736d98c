# The target portops::libtorch: headers and CPU libraries of libtorch. torch's own CMake package asks for the CUDA
# toolkit even where only CPU code is built, so it is not used. Installed with the package, so it stands alone.

# portops_find_torch([REQUIRED]): from CMAKE_PREFIX_PATH (libtorch's layout), else from the Python package.
function(portops_find_torch)
  if(TARGET portops::libtorch)
    return()
  endif()
  portops_python_torch_folder(folder)
  find_path(PORTOPS_TORCH_INCLUDE ATen/ATen.h HINTS ${folder}/include NO_CMAKE_SYSTEM_PATH)
  find_library(PORTOPS_TORCH_CPU_LIBRARY torch_cpu HINTS ${folder}/lib NO_CMAKE_SYSTEM_PATH)
  find_library(PORTOPS_TORCH_C10_LIBRARY c10 HINTS ${folder}/lib NO_CMAKE_SYSTEM_PATH)
  mark_as_advanced(PORTOPS_TORCH_INCLUDE PORTOPS_TORCH_CPU_LIBRARY PORTOPS_TORCH_C10_LIBRARY)
  if(PORTOPS_TORCH_INCLUDE AND PORTOPS_TORCH_CPU_LIBRARY AND PORTOPS_TORCH_C10_LIBRARY)
    portops_define_libtorch()
  elseif("REQUIRED" IN_LIST ARGN)
    message(FATAL_ERROR "torch was not found: pip install torch for the python3 on PATH (or set PORTOPS_PYTHON), name "
      "libtorch's folder in CMAKE_PREFIX_PATH, or build without the bridge: -DPORTOPS_TORCH=OFF")
  endif()
endfunction()

# Asks where the package is without importing it, which takes seconds.
function(portops_python_torch_folder result)
  set(folder)
  find_program(PORTOPS_PYTHON python3 DOC "Python whose torch is used")
  if(PORTOPS_PYTHON)
    set(code "import importlib.util as util; print(*util.find_spec('torch').submodule_search_locations)")
    execute_process(COMMAND ${PORTOPS_PYTHON} -c "${code}"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# The folder goes to the linker as an option: where CMake knows it, it warns at every program that it holds a libgomp
# too. Two of the same name are harmless, the loader takes the first.
function(portops_define_libtorch)
  get_filename_component(folder ${PORTOPS_TORCH_CPU_LIBRARY} DIRECTORY)
  add_library(portops::libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(portops::libtorch INTERFACE
    ${PORTOPS_TORCH_INCLUDE} ${PORTOPS_TORCH_INCLUDE}/torch/csrc/api/include)
  target_compile_features(portops::libtorch INTERFACE cxx_std_20)
  target_link_options(portops::libtorch INTERFACE -L${folder} LINKER:-rpath,${folder})
  target_link_libraries(portops::libtorch INTERFACE torch_cpu c10)
  portops_read_torch_version(version)
  set_target_properties(portops::libtorch PROPERTIES VERSION "${version}")
endfunction()

function(portops_read_torch_version result)
  set(parts)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${PORTOPS_TORCH_INCLUDE}/torch/headeronly/version.h line REGEX "define TORCH_VERSION_${part} ")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND parts ${number})
  endforeach()
  list(JOIN parts . version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()
