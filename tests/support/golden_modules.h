// SPDX-License-Identifier: Apache-2.0
// The model skeletons of golden/layer_conversion.json as module lists.
#pragma once

#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "tests/support/golden.h"

namespace octet::tests {

inline arch::ModuleKind moduleKindOf(const std::string& name) {
    using arch::ModuleKind;
    if (name == "linear") return ModuleKind::Linear;
    if (name == "layernorm") return ModuleKind::LayerNorm;
    if (name == "rmsnorm") return ModuleKind::RmsNorm;
    if (name == "embedding") return ModuleKind::Embedding;
    return name == "conv1d" ? ModuleKind::Conv1d : ModuleKind::Other;
}

/// @param model  one entry of "models"; that a LayerNorm has no weights only its title says
inline std::vector<arch::Module> modulesOf(const Json& model) {
    const bool withoutWeights = model["model"] == "layernorm without weights";
    std::vector<arch::Module> modules;
    for (const Json& row : model["layers"]) {
        arch::Module module{row[0].get<std::string>(), moduleKindOf(row[1].get<std::string>()), {}, false, true};
        for (size_t i = 2; i < row.size(); ++i) {
            if (row[i].is_boolean())
                module.bias = row[i].get<bool>();
            else
                module.dims.push_back(row[i].get<int64_t>());
        }
        module.affine = !(withoutWeights && module.kind == arch::ModuleKind::LayerNorm);
        modules.push_back(std::move(module));
    }
    return modules;
}

}  // namespace octet::tests
