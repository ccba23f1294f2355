# SPDX-License-Identifier: Apache-2.0
if(TARGET tst_device_library)
  add_library(foreign_plugin MODULE ${CMAKE_CURRENT_LIST_DIR}/foreign_plugin.cpp)
  target_include_directories(foreign_plugin PRIVATE ${PROJECT_SOURCE_DIR})
  add_library(other_library MODULE ${CMAKE_CURRENT_LIST_DIR}/other_library.cpp)
  add_dependencies(tst_device_library foreign_plugin other_library)
  target_compile_definitions(tst_device_library PRIVATE OCTET_FOREIGN_PLUGIN="$<TARGET_FILE:foreign_plugin>"
    OCTET_OTHER_LIBRARY="$<TARGET_FILE:other_library>")
endif()
