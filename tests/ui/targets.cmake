# SPDX-License-Identifier: GPL-3.0-or-later
# Window tests draw without a display.
if(OCTET_WINDOW)
  file(GLOB ui_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tst_*.cpp)
  foreach(source ${ui_tests})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^tst_" "" short ${name})
    set_tests_properties(ui.${short} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_SCALE_FACTOR=1")
  endforeach()
  # The picture of a place is drawn by the program itself, and the three clicks start a real worker.
  target_compile_definitions(tst_render PRIVATE OCTET_WINDOW_PROGRAM="$<TARGET_FILE:octet>")
  add_dependencies(tst_render octet)
  if(OCTET_TRAIN)
    target_compile_definitions(tst_three_clicks PRIVATE OCTET_ENGINE="$<TARGET_FILE:octet-engine>")
    add_dependencies(tst_three_clicks octet-engine)
  endif()
endif()
