// SPDX-License-Identifier: Apache-2.0
// Appends modules to a list, in the order in which a model registers them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/arch/module_list.h"

namespace octet::arch {

class ModuleBuilder {
public:
    void linear(std::string name, int64_t out, int64_t in, bool bias) {
        add({std::move(name), ModuleKind::Linear, {out, in}, bias, true});
    }
    /// transformers' Conv1D: the same product as a Linear, its weight is [in, out].
    void conv1d(std::string name, int64_t in, int64_t out) {
        add({std::move(name), ModuleKind::Conv1d, {in, out}, true, true});
    }
    void embedding(std::string name, int64_t rows, int64_t width) {
        add({std::move(name), ModuleKind::Embedding, {rows, width}, false, true});
    }
    void rmsNorm(std::string name, int64_t width) { add({std::move(name), ModuleKind::RmsNorm, {width}, false, true}); }
    void layerNorm(std::string name, int64_t width) {
        add({std::move(name), ModuleKind::LayerNorm, {width}, false, true});
    }
    void other(std::string name, std::vector<int64_t> dims) {
        add({std::move(name), ModuleKind::Other, std::move(dims), false, true});
    }

    [[nodiscard]] std::vector<Module> take() { return std::move(m_modules); }

private:
    void add(Module module) { m_modules.push_back(std::move(module)); }

    std::vector<Module> m_modules;
};

}  // namespace octet::arch
