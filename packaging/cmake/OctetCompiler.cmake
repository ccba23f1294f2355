# SPDX-License-Identifier: Apache-2.0
# Compiler settings of our own code: C++20, warnings are errors, no FMA contraction
# (a contracted multiply-add changes FP8 codes next to rounding ties), ccache where it is found.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "Octet needs g++ 12 or newer, found ${CMAKE_CXX_COMPILER_VERSION}. On Debian 12: apt install g++")
endif()

find_program(OCTET_CCACHE ccache)
if(OCTET_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${OCTET_CCACHE})
endif()

add_library(octet_options INTERFACE)
# -Wno-restrict: g++ 12 warns falsely on std::string concatenation (GCC PR 105651).
target_compile_options(octet_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-restrict -Werror -ffp-contract=off)
if(OCTET_SANITIZE)
  # -Wno-maybe-uninitialized: with sanitizers g++ 12 warns falsely inside libstdc++'s <regex> (the std::function of a
  # moved automaton state). Builds without sanitizers keep the warning.
  target_compile_options(octet_options INTERFACE
    -fsanitize=${OCTET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(octet_options INTERFACE -fsanitize=${OCTET_SANITIZE})
endif()
