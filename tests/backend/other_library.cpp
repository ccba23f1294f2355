// SPDX-License-Identifier: Apache-2.0
// A library that loads and is no GPU plug-in.
extern "C" int octetOtherLibrary() {
    return 1;
}
