# SPDX-License-Identifier: Apache-2.0
# The test switches instruction sets through Highway itself.
target_link_libraries(tst_tile_cast PRIVATE hwy)
