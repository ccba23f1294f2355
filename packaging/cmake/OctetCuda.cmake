# SPDX-License-Identifier: Apache-2.0
# OCTET_CUDA=AUTO builds the GPU plug-in where nvcc 13, the static CUDA runtime and cuBLASLt are found; ON insists; OFF
# does not look. Sets OCTET_HAS_CUDA, OCTET_NVCC, OCTET_CUDA_INCLUDE, OCTET_CUDART_STATIC, OCTET_CUBLASLT.
set(OCTET_HAS_CUDA OFF)
if(NOT OCTET_CUDA STREQUAL "OFF")
  set(_cuda_places $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
  if(OCTET_LIBTORCH)  # packaging/cuda.sh puts the wheels beside LibTorch
    list(APPEND _cuda_places ${OCTET_LIBTORCH}/nvidia/cu13)
  endif()
  find_program(OCTET_NVCC nvcc HINTS ${_cuda_places} PATH_SUFFIXES bin)
  if(OCTET_NVCC)
    get_filename_component(_cuda_real ${OCTET_NVCC} REALPATH)
    get_filename_component(_cuda_bin ${_cuda_real} DIRECTORY)
    get_filename_component(_cuda_root ${_cuda_bin} DIRECTORY)
    execute_process(COMMAND ${OCTET_NVCC} --version OUTPUT_VARIABLE _cuda_version ERROR_QUIET)
    string(REGEX MATCH "release ([0-9]+)" _cuda_version "${_cuda_version}")
    set(_cuda_major "${CMAKE_MATCH_1}")
    find_path(OCTET_CUDA_INCLUDE cublasLt.h HINTS ${_cuda_root} ${_cuda_places} PATH_SUFFIXES include)
    find_library(OCTET_CUDART_STATIC cudart_static HINTS ${_cuda_root} ${_cuda_places} PATH_SUFFIXES lib64 lib)
    find_library(OCTET_CUBLASLT NAMES cublasLt libcublasLt.so.13 HINTS ${_cuda_root} ${_cuda_places}
      PATH_SUFFIXES lib64 lib)
  endif()
  if(OCTET_NVCC AND "${_cuda_major}" GREATER_EQUAL 13 AND OCTET_CUDA_INCLUDE AND OCTET_CUDART_STATIC AND OCTET_CUBLASLT)
    set(OCTET_HAS_CUDA ON)
    message(STATUS "GPU plug-in: ${OCTET_NVCC}")
  elseif(OCTET_CUDA STREQUAL "ON")
    message(FATAL_ERROR "OCTET_CUDA=ON needs nvcc 13 or newer, the static CUDA runtime and cuBLASLt, found: nvcc "
      "'${OCTET_NVCC}' (major '${_cuda_major}'), headers '${OCTET_CUDA_INCLUDE}', '${OCTET_CUDART_STATIC}', "
      "'${OCTET_CUBLASLT}'. Install the CUDA 13 toolkit, or configure with -DOCTET_CUDA=OFF.")
  else()
    message(STATUS "GPU plug-in: not built (no CUDA 13 toolkit)")
  endif()
endif()
