// SPDX-License-Identifier: Apache-2.0
#include "engine/core/result.h"

namespace octet {

const char* errorCodeName(ErrorCode code) {
    switch (code) {
        case ErrorCode::Usage:
            return "usage";
        case ErrorCode::Refused:
            return "refused";
        case ErrorCode::NotFound:
            return "not_found";
        case ErrorCode::Unreadable:
            return "unreadable";
        case ErrorCode::NewerVersion:
            return "newer_version";
        case ErrorCode::Busy:
            return "busy";
        case ErrorCode::Failed:
            return "failed";
    }
    return "failed";
}

int exitCodeFor(ErrorCode code) {
    return code == ErrorCode::Failed || code == ErrorCode::Busy ? 1 : 2;
}

}  // namespace octet
