# SPDX-License-Identifier: Apache-2.0
# Tests that compare with recorded runs of the real libraries: ctest -L golden.
set_tests_properties(recipe.accelerate_effective PROPERTIES LABELS "recipe;golden")
