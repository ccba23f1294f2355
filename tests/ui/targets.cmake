# SPDX-License-Identifier: GPL-3.0-or-later
# Window tests draw without a display.
if(OCTET_WINDOW)
  file(GLOB ui_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tst_*.cpp)
  foreach(source ${ui_tests})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^tst_" "" short ${name})
    set_tests_properties(ui.${short} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QT_SCALE_FACTOR=1")
  endforeach()
endif()
