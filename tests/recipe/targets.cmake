# SPDX-License-Identifier: Apache-2.0
# Tests that compare with recorded runs of the real libraries: ctest -L golden.
set_tests_properties(recipe.accelerate_effective PROPERTIES LABELS "recipe;golden")
# Needs Python with accelerate, torchao and transformer_engine (OCTET_PEER, OCTET_PEER_PYTHON), else it skips.
set_tests_properties(recipe.peer_accelerate PROPERTIES LABELS "recipe;peer")
