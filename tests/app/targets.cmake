# SPDX-License-Identifier: Apache-2.0
# The tests run the built program; they never link its sources.
foreach(cli_test tst_cli tst_cli_recipes tst_train_cli tst_train_refusals tst_cast_cli tst_devices_cli)
  if(TARGET ${cli_test})
    target_compile_definitions(${cli_test} PRIVATE OCTET_ENGINE="$<TARGET_FILE:octet-engine>")
    add_dependencies(${cli_test} octet-engine)
  endif()
endforeach()
if(TARGET tst_devices_cli AND NOT OCTET_SANITIZE)
  target_compile_definitions(tst_devices_cli PRIVATE OCTET_HOST_TWIN="$<TARGET_FILE:gpu_host_twin>")
  add_dependencies(tst_devices_cli gpu_host_twin)
endif()
