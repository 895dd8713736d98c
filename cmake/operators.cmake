# portops_add_operators(<target> <file.cpp>...): a shared library from operator files. It needs the core alone; torch
# programs load it beside the bridge (torch.ops.load_library), C++ programs link it.
function(portops_add_operators target)
  add_library(${target} SHARED ${ARGN})
  # Functors of one name in two libraries must not share their loops.
  set_target_properties(${target} PROPERTIES VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${target} PUBLIC portops::core)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
  # A program that finds its operators by name uses no symbol of the library: without this the linker may drop it.
  target_link_options(${target} INTERFACE LINKER:--no-as-needed)
endfunction()
