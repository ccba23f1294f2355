// SPDX-License-Identifier: Apache-2.0
#include "app/process_tuning.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace octet::app {
namespace {

/// libgomp's default lets a waiting thread spin for milliseconds: on a machine that also does other work a step then
/// takes eight times as long (measured on 2 cores); on an idle one the short spin costs 2 to 3 %.
constexpr const char* kSpinCount = "20000";

std::vector<std::string> ownArguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::string> arguments;
    for (size_t from = 0; from < all.size(); from += arguments.back().size() + 1) {
        arguments.emplace_back(all.c_str() + from);
    }
    return arguments;
}

void restartWithShortSpin() {
    std::vector<std::string> arguments = ownArguments();
    if (arguments.empty()) return;
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    setenv("GOMP_SPINCOUNT", kSpinCount, 1);
    execv("/proc/self/exe", pointers.data());  // returns only when it fails; training then works without it
}

}  // namespace

void tuneProcessForTraining() {
    if (std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) restartWithShortSpin();
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2'147'483'647);
    mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace octet::app
