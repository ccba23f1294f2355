# SPDX-License-Identifier: Apache-2.0
octet_test(packaging)
