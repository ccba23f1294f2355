# SPDX-License-Identifier: Apache-2.0
# Octet::Libtorch: the CPU part of LibTorch out of the PyPI wheel (torch_cpu and c10 only, so that no CUDA
# library is needed). Looked for in OCTET_LIBTORCH, else in the cache folder that packaging/run fills.
set(OCTET_LIBTORCH_VERSION 2.11.0)
if(NOT OCTET_LIBTORCH)
  if(DEFINED ENV{OCTET_CACHE})
    set(_cache $ENV{OCTET_CACHE})
  elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(_cache $ENV{XDG_CACHE_HOME}/octet)
  else()
    set(_cache $ENV{HOME}/.cache/octet)
  endif()
  set(OCTET_LIBTORCH ${_cache}/libtorch-${OCTET_LIBTORCH_VERSION})
endif()
set(_torch ${OCTET_LIBTORCH}/torch)
find_library(OCTET_TORCH_CPU torch_cpu PATHS ${_torch}/lib NO_DEFAULT_PATH)
find_library(OCTET_C10 c10 PATHS ${_torch}/lib NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OctetLibtorch
  REQUIRED_VARS OCTET_TORCH_CPU OCTET_C10
  REASON_FAILURE_MESSAGE "No LibTorch ${OCTET_LIBTORCH_VERSION} in ${OCTET_LIBTORCH}. Run packaging/setup, which fetches it from PyPI, or set OCTET_LIBTORCH.")
if(OctetLibtorch_FOUND AND NOT TARGET Octet::Libtorch)
  add_library(Octet::Libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(Octet::Libtorch SYSTEM INTERFACE ${_torch}/include ${_torch}/include/torch/csrc/api/include)
  target_link_libraries(Octet::Libtorch INTERFACE ${OCTET_TORCH_CPU} ${OCTET_C10})
  target_link_options(Octet::Libtorch INTERFACE -Wl,-rpath,${_torch}/lib)
endif()
