# SPDX-License-Identifier: Apache-2.0
target_sources(tst_layering PRIVATE ${CMAKE_CURRENT_LIST_DIR}/include_rules.cpp)
target_compile_definitions(tst_layering PRIVATE OCTET_BUILD_DIR="${PROJECT_BINARY_DIR}")
