// SPDX-License-Identifier: Apache-2.0
#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace octet::app {

int terminalColumns(int descriptor, int otherwise) {
    constexpr int kNarrowest = 20;
    winsize size{};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest ? size.ws_col : otherwise;
}

int textColumns() {
    return std::clamp(terminalColumns(STDOUT_FILENO, 100), 60, 100);
}

bool putText(std::FILE* stream, std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    return written && std::fflush(stream) == 0;
}

}  // namespace octet::app
