// SPDX-License-Identifier: Apache-2.0
#include "engine/core/version.h"

namespace octet {

const char* version() {
    return OCTET_VERSION;
}

}  // namespace octet
