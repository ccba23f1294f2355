# SPDX-License-Identifier: Apache-2.0
# store_child: the worker that the store's tests kill, starve of rights and run beside themselves.
# store_bench: prints the store's figures; not a test.
foreach(program store_child store_bench)
  add_executable(${program} ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
  target_link_libraries(${program} PRIVATE octet_core octet_options)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
endforeach()
foreach(test tst_store_samples tst_store_opening tst_store_attempts tst_store_durability)
  add_dependencies(${test} store_child)
  target_compile_definitions(${test} PRIVATE STORE_CHILD="$<TARGET_FILE:store_child>")
endforeach()
