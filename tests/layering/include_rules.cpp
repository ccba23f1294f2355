// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/include_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "engine/core/text.h"

namespace octet::layering {
namespace {

/// Parts of the engine from the lowest to the highest; each may include itself and what is below it.
/// analysis and files have one level and do not know each other.
struct Part {
    std::string_view name;
    int level;
};
constexpr std::array kParts{Part{"core", 0},   Part{"numerics", 1}, Part{"scaling", 2}, Part{"arch", 3},
                            Part{"recipe", 4}, Part{"series", 5},   Part{"store", 6},   Part{"analysis", 7},
                            Part{"files", 7},  Part{"backend", 8},  Part{"model", 9},   Part{"train", 10}};
constexpr std::array<std::string_view, 5> kCudaMayUse{"core", "numerics", "scaling", "backend", "cuda"};
constexpr std::array<std::string_view, 3> kTorchParts{"backend", "model", "train"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

int levelOf(std::string_view part) {
    const auto found = std::find_if(kParts.begin(), kParts.end(), [&](const Part& p) { return p.name == part; });
    return found == kParts.end() ? -1 : found->level;
}

/// "engine/core/text.h" -> "core"; empty outside engine/.
std::string partOf(std::string_view path) {
    const std::vector<std::string> words = split(path, '/');
    return words.size() > 2 && words[0] == "engine" ? words[1] : std::string();
}

bool isProjectPath(std::string_view name) {
    constexpr std::array<std::string_view, 4> roots{"engine", "app", "ui", "tests"};
    const size_t slash = name.find('/');
    return slash != std::string_view::npos && contains(roots, name.substr(0, slash));
}

bool matches(std::string_view name, const char* pattern) {
    return std::regex_match(name.begin(), name.end(), std::regex(pattern));
}

bool isQt(std::string_view name) {
    return matches(name, "(Qt[A-Z][A-Za-z]*/.*|Q[A-Z][A-Za-z]*|q[a-z_]+\\.h)");
}
bool isTorch(std::string_view name) {
    return matches(name, "(torch|ATen|c10|caffe2)/.*");
}
bool isCuda(std::string_view name) {
    return matches(name, "(cuda|cublas|cudnn|nccl|nvrtc).*");
}
bool isQCustomPlot(std::string_view name) {
    return matches(name, "(.*/)?qcustomplot\\.h");
}

/// The part of the program that must stay free of torch and of the code that needs it.
bool isWindow(std::string_view path) {
    return path.starts_with("ui/") || path == "app/octet.cpp";
}

std::string partRule(const std::string& from, const std::string& to) {
    if (from == to) return {};
    if (from == "cuda") {
        return contains(kCudaMayUse, to) ? "" : "cuda may use core, numerics, scaling and backend only";
    }
    if (to == "cuda") return "cuda is a plug-in; it is loaded at run time, never included";
    if (levelOf(from) < 0) return fmt::format("engine/{} has no place in the order of the parts", from);
    if (levelOf(to) < 0) return fmt::format("engine/{} has no place in the order of the parts", to);
    return levelOf(to) < levelOf(from) ? "" : fmt::format("{} must not know {}", from, to);
}

std::string projectRule(std::string_view path, const Include& include) {
    const std::string from = partOf(path), to = partOf(include.name);
    if (include.angled) return "files of the project are included with quotes";
    if (!from.empty() && to.empty()) return "the engine includes nothing of the project outside engine/";
    if (!from.empty()) return partRule(from, to);
    if (path.starts_with("tests/")) return {};
    if (include.name.starts_with("tests/")) return "only tests include files of tests/";
    if (isWindow(path) && !to.empty() && (contains(kTorchParts, to) || to == "cuda")) {
        return "ui and app/octet.cpp include torch-free parts of the engine only";
    }
    if (include.name.starts_with("ui/") && !isWindow(path)) return "only ui and app/octet.cpp include ui";
    if (include.name.starts_with("app/") && !path.starts_with("app/")) return "only app includes app";
    return {};
}

std::string torchRule(std::string_view path, std::string_view what) {
    const bool inside = contains(kTorchParts, partOf(path)) || path.starts_with("tests/");
    const bool hidden = path.ends_with(".cpp") || path.ends_with("_torch.h");
    return inside && hidden ? ""
                            : fmt::format("{} belongs in .cpp files (and *_torch.h) of backend, model and train", what);
}

std::string foreignRule(std::string_view path, const Include& include) {
    const std::string part = partOf(path);
    if (!include.angled) {
        const bool generated = include.name.ends_with(".moc") || include.name.starts_with("ui_");
        return generated ? "" : "quotes are for files of the project, written from its root";
    }
    if (isQCustomPlot(include.name)) {
        return path == "ui/plots/qcp.h" ? "" : "only ui/plots/qcp.h includes QCustomPlot";
    }
    if (isTorch(include.name)) return torchRule(path, "torch");
    if (isQt(include.name) && (!part.empty() || (path.starts_with("app/") && path != "app/octet.cpp"))) {
        return "nothing in the engine and octet-engine knows Qt";
    }
    if (isCuda(include.name) && part != "cuda" && !path.starts_with("tests/")) return "CUDA belongs in engine/cuda";
    return {};
}

std::string ruleBrokenBy(std::string_view path, const Include& include) {
    // Highway's foreach_target.h includes the file again through this macro.
    if (include.computed) return include.name == "HWY_TARGET_INCLUDE" ? "" : "the name hides behind a macro";
    if (include.name.starts_with("/")) return "an absolute path is another one on the next machine";
    if (include.name.find("..") != std::string::npos) return "paths are written from the project's root";
    if (!isProjectPath(include.name)) return foreignRule(path, include);
    if (const std::string rule = projectRule(path, include); !rule.empty()) return rule;
    return include.name.ends_with("_torch.h") ? torchRule(path, "a *_torch.h header") : "";
}

}  // namespace

std::vector<Include> includesOf(std::string_view text) {
    static const std::regex pattern(R"(^\s*#\s*include\s*(?:<([^>]*)>|"([^"]*)\"|(\w+)))");
    std::vector<Include> found;
    int line = 0;
    for (const std::string& written : split(text, '\n')) {
        ++line;
        std::smatch part;
        if (!std::regex_search(written, part, pattern)) continue;
        const size_t kind = part[1].matched ? 1 : part[2].matched ? 2 : 3;
        found.push_back({line, kind == 1, kind == 3, part[kind].str()});
    }
    return found;
}

std::vector<std::string> brokenIncludeRules(std::string_view path, std::string_view text) {
    std::vector<std::string> broken;
    for (const Include& include : includesOf(text)) {
        const std::string rule = ruleBrokenBy(path, include);
        if (!rule.empty())
            broken.push_back(fmt::format("{}:{} includes {}: {}", path, include.line, include.name, rule));
    }
    return broken;
}

std::string brokenLicenceRule(std::string_view path, std::string_view text) {
    static const std::regex pattern(R"((//|#) SPDX-License-Identifier: (\S+)\s*)");
    const std::vector<std::string> lines = split(text, '\n');
    std::string licence;
    for (size_t i = 0; i < std::min<size_t>(lines.size(), 3) && licence.empty(); ++i) {
        std::smatch part;
        if (std::regex_match(lines[i], part, pattern)) licence = part[2].str();
    }
    if (licence.empty()) return fmt::format("{} has no SPDX line at its top", path);
    const bool isTest = path.starts_with("tests/ui/");
    const std::string wanted = isWindow(path) || isTest ? "GPL-3.0-or-later" : "Apache-2.0";
    return licence == wanted ? "" : fmt::format("{} is under {}, but its place asks for {}", path, licence, wanted);
}

}  // namespace octet::layering
