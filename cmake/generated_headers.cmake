# Headers that include every operator, written from the files that are there: adding an operator edits no list.
set(portops_generated_include ${PROJECT_BINARY_DIR}/include)

# portops_generate_umbrella(<header> <folder>): portops/<header> includes every portops/<folder>/*.hpp.
function(portops_generate_umbrella header folder)
  set(base ${PROJECT_SOURCE_DIR}/core/include)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${base} ${base}/portops/${folder}/*.hpp)
  set(text "#pragma once\n// Generated when the build was configured: every header in portops/${folder}.\n")
  foreach(name IN LISTS headers)
    string(APPEND text "#include <${name}>\n")
  endforeach()
  file(CONFIGURE OUTPUT ${portops_generated_include}/portops/${header} CONTENT "${text}" @ONLY)
endfunction()
