// SPDX-License-Identifier: Apache-2.0
// What may honestly be said about a comparison, one plain sentence each: command line and window use the same words.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/experiment_comparison.h"

namespace octet::analysis {

/// Where and on what footing the losses were compared.
[[nodiscard]] std::vector<std::string> footingSentences(const ExperimentComparison& compared);

/// How far the baseline is from itself, or why that is not known.
[[nodiscard]] std::string noiseSentence(const ExperimentComparison& compared);

/// How the FP8 recipes differ from the first of them.
[[nodiscard]] std::vector<std::string> differenceSentences(const ExperimentComparison& compared);

/// Mean and interval of recipes with several seeds.
[[nodiscard]] std::vector<std::string> groupSentences(const ExperimentComparison& compared);

/// What a short run can show: mechanisms that were seen (underflow of dy, cold start, NaN), in the words of the events.
[[nodiscard]] std::vector<std::string> mechanismSentences(const ExperimentComparison& compared);

}  // namespace octet::analysis
