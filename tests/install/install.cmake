# cmake -D build=<tree> -D source=<project> -D prefix=<folder> -P install.cmake: installs and moves what was installed.
file(REMOVE_RECURSE ${prefix} ${prefix}_before ${prefix}_core_consumer ${prefix}_torch_consumer
  ${prefix}_custom_operator)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix}_before OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${prefix}_before ${prefix})

file(GLOB files ${prefix}/*/cmake/portops/*.cmake)
foreach(file IN LISTS files)
  file(READ ${file} text)
  foreach(word ${source} ${build} -march -Werror)
    string(FIND "${text}" "${word}" position)
    if(NOT position EQUAL -1)
      message(SEND_ERROR "${file} holds ${word}, which means nothing outside the build tree")
    endif()
  endforeach()
endforeach()
