// SPDX-License-Identifier: Apache-2.0
// How --help looks: descriptions wrapped to the terminal, defaults and "required" as words after them.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace octet::app {

[[nodiscard]] std::shared_ptr<CLI::FormatterBase> helpFormatter();

}  // namespace octet::app
