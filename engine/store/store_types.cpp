// SPDX-License-Identifier: Apache-2.0
// Names of states, events and commands: as stored, printed and typed.
#include "engine/store/store_types.h"

#include <array>
#include <utility>

namespace octet::store {
namespace {

template <typename Enum, size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

constexpr Names<RunState, 7> kRunStates{{{RunState::Queued, "queued"},
                                         {RunState::Running, "running"},
                                         {RunState::Paused, "paused"},
                                         {RunState::Done, "done"},
                                         {RunState::Stopped, "stopped"},
                                         {RunState::Failed, "failed"},
                                         {RunState::Interrupted, "interrupted"}}};

constexpr Names<EventKind, 9> kEventKinds{{{EventKind::ColdStart, "cold_start"},
                                           {EventKind::NotFinite, "not_finite"},
                                           {EventKind::RecipeChange, "recipe_change"},
                                           {EventKind::Paused, "paused"},
                                           {EventKind::Resumed, "resumed"},
                                           {EventKind::Stopped, "stopped"},
                                           {EventKind::Finished, "finished"},
                                           {EventKind::Failed, "failed"},
                                           {EventKind::Note, "note"}}};

constexpr Names<CommandVerb, 5> kCommandVerbs{{{CommandVerb::Pause, "pause"},
                                               {CommandVerb::Resume, "resume"},
                                               {CommandVerb::Stop, "stop"},
                                               {CommandVerb::Checkpoint, "checkpoint"},
                                               {CommandVerb::SetRecipe, "recipe"}}};

template <typename Enum, size_t N>
const char* nameIn(const Names<Enum, N>& names, Enum value) {
    for (const auto& [known, name] : names) {
        if (known == value) return name;
    }
    return "";
}

template <typename Enum, size_t N>
std::optional<Enum> valueIn(const Names<Enum, N>& names, std::string_view text) {
    for (const auto& [known, name] : names) {
        if (text == name) return known;
    }
    return std::nullopt;
}

}  // namespace

const char* runStateName(RunState state) {
    return nameIn(kRunStates, state);
}
std::optional<RunState> runStateFromName(std::string_view name) {
    return valueIn(kRunStates, name);
}

const char* eventKindName(EventKind kind) {
    return nameIn(kEventKinds, kind);
}
std::optional<EventKind> eventKindFromName(std::string_view name) {
    return valueIn(kEventKinds, name);
}

const char* commandVerbName(CommandVerb verb) {
    return nameIn(kCommandVerbs, verb);
}
std::optional<CommandVerb> commandVerbFromName(std::string_view name) {
    return valueIn(kCommandVerbs, name);
}

}  // namespace octet::store
