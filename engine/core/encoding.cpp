// SPDX-License-Identifier: Apache-2.0
#include "engine/core/encoding.h"

#include <fmt/format.h>
#include <iconv.h>

#include <array>
#include <cerrno>

namespace octet {

Result<std::string> utf8From(std::string_view bytes, const std::string& encoding, std::string_view what) {
    const iconv_t converter = iconv_open("UTF-8", encoding.c_str());
    if (converter == reinterpret_cast<iconv_t>(-1)) {
        return Error{ErrorCode::Usage, fmt::format("Unknown encoding \"{}\".", encoding),
                     "Use a name that iconv knows, for example cp949 or utf-8."};
    }
    std::string in(bytes), out;
    char* from = in.data();
    size_t left = in.size();
    bool failed = false;
    while (left > 0 && !failed) {
        std::array<char, 4096> part;
        char* to = part.data();
        size_t room = part.size();
        failed = iconv(converter, &from, &left, &to, &room) == static_cast<size_t>(-1) && errno != E2BIG;
        out.append(part.data(), part.size() - room);
    }
    iconv_close(converter);
    if (failed) {
        return Error{ErrorCode::Usage, fmt::format("{} is not {} at byte {}.", what, encoding, in.size() - left),
                     "Name the encoding that the file was written with."};
    }
    return out;
}

}  // namespace octet
