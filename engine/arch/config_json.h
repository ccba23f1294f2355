// SPDX-License-Identifier: Apache-2.0
// The modules of a Hugging Face model from its config.json alone: names, shapes and order as transformers registers
// them, without weights. Source: the model classes of transformers 4.x (module registration order).
#pragma once

#include <string>
#include <vector>

#include "engine/arch/module_list.h"
#include "engine/core/json.h"
#include "engine/core/result.h"

namespace octet::arch {

struct ConfigModel {
    std::string family;              // model_type: "llama"
    std::string summary;             // "llama: 32 layers, hidden 4,096, vocabulary 128,256"
    std::vector<Module> modules;     // in named_modules() order
    std::vector<std::string> notes;  // what the list cannot show, one sentence each: tied weights, Conv1D
};

/// Llama, Mistral, Qwen2, Qwen3, Mixtral, GPT-2, BERT (with its task head), ViT. Keys that are missing have the class's
/// defaults, as transformers writes only what differs. Fails on a file without model_type, an unknown family (nearest
/// named), and dimensions that are not whole numbers in range.
/// @param what  names the file in messages
[[nodiscard]] Result<ConfigModel> modulesFromConfig(const Json& config, const std::string& what);

/// Reads config.json itself, or the one in a folder.
[[nodiscard]] Result<ConfigModel> modulesFromConfigFile(const std::string& path);

/// What `--model` takes: a SPEC, or a config.json, or a folder that holds one. A text with a path separator or that
/// ends in .json is a path. A SPEC has its own text as the summary.
[[nodiscard]] Result<ConfigModel> modulesFromSpecOrConfig(const std::string& text);

}  // namespace octet::arch
