// SPDX-License-Identifier: Apache-2.0
#include "app/help_format.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/table.h"
#include "app/terminal.h"

namespace octet::app {
namespace {

class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(24); }

    /// " PATH": CLI11 would add ranges, defaults and REQUIRED here, which no column is wide enough for.
    std::string make_option_opts(const CLI::Option* option) const override {
        const std::string type = option->get_type_name();
        const std::string name = type.substr(0, type.find(':'));
        const bool isList = option->get_expected_max() == CLI::detail::expected_max_vector_size;
        return (name.empty() || option->get_type_size() == 0 ? "" : " " + name) + (isList ? "..." : "");
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        std::string text = option->get_description();
        if (!text.empty() && text.back() != '.') text += '.';
        if (option->get_required()) text += " Required.";
        if (!option->get_default_str().empty()) text += fmt::format(" Default: {}.", option->get_default_str());
        return wrappedText(text, textColumns() - static_cast<int>(get_column_width()), 0);
    }

    std::string make_subcommand(const CLI::App* command) const override {
        const int width = textColumns() - static_cast<int>(get_column_width());
        std::stringstream out;
        CLI::detail::format_help(out, command->get_display_name(), wrappedText(command->get_description(), width, 0),
                                 get_column_width());
        return out.str();
    }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> helpFormatter() {
    return std::make_shared<HelpFormatter>();
}

}  // namespace octet::app
