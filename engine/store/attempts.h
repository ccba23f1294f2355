// SPDX-License-Identifier: Apache-2.0
// Attempts: who works on a run, whether it still lives, and what that makes of the state in which a run was left.
#pragma once

#include <optional>
#include <string>

#include "engine/store/connection.h"
#include "engine/store/process_identity.h"
#include "engine/store/store_types.h"

namespace octet::store {

struct Attempt {
    AttemptId id;
    ProcessIdentity process;
    double heartbeatAt = 0;  // Unix seconds
    bool ended = false;      // by endAttempt
};

[[nodiscard]] std::optional<Attempt> lastAttemptOf(Connection& connection, RunId run);

/// Gone also when it was ended.
[[nodiscard]] Liveness livenessOf(const Attempt& attempt);

struct ShownState {
    RunState state = RunState::Queued;
    std::string note;  // for an attempt on another host
};

/// The stored state, or Interrupted when nobody is left to go on with the run. A queued run without an attempt of its
/// own waits for the worker of its experiment.
[[nodiscard]] ShownState shownState(Connection& connection, RunId run, ExperimentId experiment, RunState stored);

[[nodiscard]] double unixNow();
/// "12:03:11" in local time; with the date when it was not today.
[[nodiscard]] std::string clockText(double unixSeconds);

}  // namespace octet::store
