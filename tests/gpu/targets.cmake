# SPDX-License-Identifier: Apache-2.0
# Kernels on the host: the .cuh sources of engine/cuda compiled by the C++ compiler and run one fiber per thread,
# plainly, under the address and undefined-behaviour sanitizers, and under the thread sanitizer. The few sources that
# they need are compiled again with each sanitizer (the exception that STYLE names); nothing else is linked.
set(gpu_host ${CMAKE_CURRENT_LIST_DIR}/host)
set(gpu_host_scheduler ${gpu_host}/fiber_scheduler.cpp ${gpu_host}/fiber_switch.cpp)
set(gpu_host_sources ${gpu_host}/host_device.cpp ${gpu_host}/run_checks.cpp
  ${PROJECT_SOURCE_DIR}/engine/backend/device_checks.cpp ${PROJECT_SOURCE_DIR}/engine/backend/device_checks_cast.cpp
  ${PROJECT_SOURCE_DIR}/engine/backend/device_checks_block.cpp
  ${PROJECT_SOURCE_DIR}/engine/backend/device_checks_gemm.cpp
  ${PROJECT_SOURCE_DIR}/engine/backend/device_check_rows.cpp ${PROJECT_SOURCE_DIR}/engine/backend/device_gemm.cpp
  ${PROJECT_SOURCE_DIR}/engine/numerics/exponents.cpp ${PROJECT_SOURCE_DIR}/engine/scaling/delayed_scaling.cpp)
set(gpu_host_options -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -Wno-unknown-pragmas
  -ffp-contract=off -O1 -g1 -fno-omit-frame-pointer)

# gpu_host_program(NAME SANITIZER SOURCES...): SANITIZER is none, address,undefined or thread.
function(gpu_host_program name sanitizer)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${gpu_host_options})
  # The scheduler tells TSan what a barrier orders; watched itself it would order everything.
  add_library(${name}_scheduler OBJECT ${gpu_host_scheduler})
  target_include_directories(${name}_scheduler PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name}_scheduler PRIVATE ${gpu_host_options})
  target_link_libraries(${name} PRIVATE ${name}_scheduler)
  if(sanitizer STREQUAL "thread")
    target_compile_options(${name} PRIVATE -fsanitize=thread -Wno-tsan)
    target_compile_definitions(${name}_scheduler PRIVATE OCTET_HOST_TSAN=1)
    target_link_options(${name} PRIVATE -fsanitize=thread)
  elseif(NOT sanitizer STREQUAL "none")
    foreach(target ${name} ${name}_scheduler)
      target_compile_options(${target} PRIVATE -fsanitize=${sanitizer} -fno-sanitize-recover=all)
    endforeach()
    target_link_options(${name} PRIVATE -fsanitize=${sanitizer})
  endif()
endfunction()

# gpu_mutant(NAME SANITIZER FILE ORIGINAL REPLACEMENT MESSAGE): plants a fault in a copy of engine/cuda/FILE; the test
# passes when MESSAGE (a regular expression) is printed.
function(gpu_mutant name sanitizer file original replacement message)
  set(source ${PROJECT_SOURCE_DIR}/engine/cuda/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(REPLACE "${original}" "${replacement}" mutated "${text}")
  if(mutated STREQUAL text)
    message(FATAL_ERROR "Mutant ${name}: ${file} no longer holds: ${original}")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gpu_mutants/${name})
  file(CONFIGURE OUTPUT ${folder}/engine/cuda/${file} CONTENT "${mutated}" @ONLY)
  gpu_host_program(gpu_mutant_${name} ${sanitizer} ${gpu_host}/mutant_check.cpp)
  target_include_directories(gpu_mutant_${name} BEFORE PRIVATE ${folder})
  target_compile_options(gpu_mutant_${name} PRIVATE -Wno-unused)
  add_test(NAME gpu.host.mutant_${name} COMMAND gpu_mutant_${name})
  set_tests_properties(gpu.host.mutant_${name} PROPERTIES LABELS gpu-host PASS_REGULAR_EXPRESSION "${message}")
endfunction()

# A whole build with sanitizers has its own flags everywhere; the programs below bring theirs.
if(NOT OCTET_SANITIZE)
  gpu_host_program(gpu_host_plain none ${gpu_host_sources})
  add_library(gpu_host_twin MODULE ${gpu_host}/twin_plugin.cpp ${gpu_host}/host_device.cpp)
  target_include_directories(gpu_host_twin PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(gpu_host_twin PRIVATE ${gpu_host_options})
  target_compile_definitions(gpu_host_twin PRIVATE OCTET_VERSION="${PROJECT_VERSION}")
  target_link_libraries(gpu_host_twin PRIVATE gpu_host_plain_scheduler)
  gpu_host_program(gpu_host_asan address,undefined ${gpu_host_sources})
  gpu_host_program(gpu_host_tsan thread ${gpu_host_sources})
  add_test(NAME gpu.host.kernels COMMAND gpu_host_plain --every 3)
  add_test(NAME gpu.host.kernels_asan COMMAND gpu_host_asan --every 13)
  add_test(NAME gpu.host.kernels_tsan COMMAND gpu_host_tsan --every 97)
  foreach(control none address,undefined thread)
    string(REPLACE "," "_" name control_${control})
    gpu_host_program(gpu_${name} ${control} ${gpu_host}/mutant_check.cpp)
    add_test(NAME gpu.host.${name} COMMAND gpu_${name})
    set_tests_properties(gpu.host.${name} PROPERTIES LABELS gpu-host)
  endforeach()
  set_tests_properties(gpu.host.kernels gpu.host.kernels_asan gpu.host.kernels_tsan PROPERTIES
    LABELS gpu-host TIMEOUT 300)

  set(race "ThreadSanitizer: data race")
  set(overflow "AddressSanitizer: heap-buffer-overflow")
  gpu_mutant(dropped_tail none amax.cuh "i = head + chunks * kElements + first; i < n" "i = n; i < n" "wrong amax")
  gpu_mutant(lost_update none amax.cuh "atomicMax(&out->finiteBits, blockAmax)" "out->finiteBits = blockAmax" "wrong amax")
  gpu_mutant(wrong_mask none amax.cuh "__ballot_sync(0xFFFFFFFFu, (own.flags & 2u)"
    "__ballot_sync(0x7FFFFFFFu, (own.flags & 2u)" "lane 31 is not in its own mask at .*amax.cuh:")
  gpu_mutant(return_before_barrier none amax.cuh "    addBlockAmax(own, warps, out);\n}"
    "    if (threadIdx.x >= 64) return;\n    addBlockAmax(own, warps, out);\n}" "reached by 64 of 256 threads")
  gpu_mutant(half_warp_returns none amax.cuh "    addBlockAmax(own, warps, out);\n}"
    "    if (threadIdx.x % 32 >= 16) return;\n    addBlockAmax(own, warps, out);\n}" "deadlock: thread .* waits in the warp operation")
  gpu_mutant(wrong_column none cast_transpose.cuh "kCastTilePitch + column]" "kCastTilePitch + column / 2]" "wrong code")
  gpu_mutant(misaligned_load address,undefined amax.cuh "misaligned == 0 ? 0 : kElements - misaligned" "misaligned * 0"
    "misaligned address")
  gpu_mutant(shared_out_of_bounds address,undefined amax.cuh "warp < blockDim.x / 32" "warp <= blockDim.x / 32" "${overflow}")
  gpu_mutant(row_out_of_bounds address,undefined cast_transpose.cuh "row >= job.x.rows || column >= job.x.columns) return chunk"
    "column >= job.x.columns) return chunk" "${overflow}")
  gpu_mutant(missing_barrier thread amax.cuh "    __syncthreads();\n    if (threadIdx.x == 0) {" "    if (threadIdx.x == 0) {"
    "${race}")
  gpu_mutant(tile_read_too_early thread cast_transpose.cuh "__syncthreads();  // the tile is written" "" "${race}")
  gpu_mutant(tile_written_too_early thread cast_transpose.cuh "__syncthreads();  // the tile is read" "" "${race}")
endif()

# Registers, spills and hardware conversions, where nvcc is there.
if(OCTET_HAS_CUDA)
  add_test(NAME gpu.static.kernels COMMAND ${CMAKE_COMMAND} -DNVCC=${OCTET_NVCC} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DOUT=${CMAKE_CURRENT_BINARY_DIR}/gpu_static -P ${CMAKE_CURRENT_LIST_DIR}/static/check_kernels.cmake)
  set_tests_properties(gpu.static.kernels PROPERTIES LABELS gpu-static TIMEOUT 600)
endif()
