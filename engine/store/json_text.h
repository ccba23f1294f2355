// SPDX-License-Identifier: Apache-2.0
// JSON documents as columns.
#pragma once

#include <string>

#include "engine/core/json.h"

namespace octet::store {

/// Bytes that are not UTF-8 become replacement characters: a log line from a foreign program must not end a run.
[[nodiscard]] inline std::string jsonText(const Json& document) {
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Null for a text that is not JSON.
[[nodiscard]] inline Json jsonFromText(const std::string& text) {
    Json document = Json::parse(text, nullptr, false);
    return document.is_discarded() ? Json(nullptr) : document;
}

}  // namespace octet::store
