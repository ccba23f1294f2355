// SPDX-License-Identifier: Apache-2.0
// One function per model family: reads its config and lists its modules in registration order.
#pragma once

#include <string>

#include "engine/arch/config_fields.h"
#include "engine/arch/config_json.h"

namespace octet::arch {

inline constexpr int64_t kMostLayers = 1'024;

void llamaModules(ConfigFields& config, ConfigModel& model);
void mistralModules(ConfigFields& config, ConfigModel& model);
void qwen2Modules(ConfigFields& config, ConfigModel& model);
void qwen3Modules(ConfigFields& config, ConfigModel& model);
void mixtralModules(ConfigFields& config, ConfigModel& model);
void gpt2Modules(ConfigFields& config, ConfigModel& model);
void bertModules(ConfigFields& config, ConfigModel& model);
void vitModules(ConfigFields& config, ConfigModel& model);

/// "32 layers, hidden 4,096, vocabulary 32,000"
[[nodiscard]] std::string sizeText(int64_t layers, int64_t hidden, int64_t vocab);

}  // namespace octet::arch
