# cmake --install: find_package(portops COMPONENTS core torch). The component core asks for nothing of torch.
include(CMakePackageConfigHelpers)
set(portops_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/portops)

# portops_install(<component> <target>...): the targets as portops::<name>, found where they stand after a move.
function(portops_install component)
  foreach(target IN LISTS ARGN)
    string(REGEX REPLACE "^portops_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endforeach()
  install(TARGETS ${ARGN} EXPORT portops_${component}_targets FILE_SET HEADERS)
  install(EXPORT portops_${component}_targets NAMESPACE portops:: DESTINATION ${portops_package_folder})
endfunction()

portops_install(core portops_headers portops_core)
if(TARGET portops_torch)
  portops_install(torch portops_torch)
endif()

configure_package_config_file(cmake/portops_config.cmake.in ${PROJECT_BINARY_DIR}/portopsConfig.cmake
  INSTALL_DESTINATION ${portops_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/portopsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/portopsConfig.cmake ${PROJECT_BINARY_DIR}/portopsConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/operators.cmake ${PROJECT_SOURCE_DIR}/cmake/torch.cmake
  DESTINATION ${portops_package_folder})
