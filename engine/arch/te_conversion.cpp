// SPDX-License-Identifier: Apache-2.0
#include "engine/arch/te_conversion.h"

#include <fmt/format.h>

#include <map>

#include "engine/core/text.h"

namespace octet::arch {
namespace {

constexpr int64_t kWidthStep = 16;  // te.Linear's FP8 GEMMs need both weight dimensions to be multiples of it

/// One place in the module tree; containers have no module of their own in the list.
struct Node {
    std::optional<size_t> module;
    std::vector<size_t> children;  // node indices, registration order
};

std::vector<Node> treeOf(const std::vector<Module>& modules) {
    std::vector<Node> nodes(1);
    std::map<std::string, size_t> nodeOf{{"", 0}};
    for (size_t i = 0; i < modules.size(); ++i) {
        size_t at = 0;
        std::string path;
        if (!modules[i].name.empty()) {
            for (const std::string& part : split(modules[i].name, '.')) {
                path += path.empty() ? part : "." + part;
                const auto [place, isNew] = nodeOf.try_emplace(path, nodes.size());
                if (isNew) {
                    nodes[at].children.push_back(place->second);
                    nodes.emplace_back();
                }
                at = place->second;
            }
        }
        nodes[at].module = i;
    }
    return nodes;
}

/// Repeats convert_model's recursion: a `return` at a bad width ends the loop over one parent's children.
class Walk {
public:
    Walk(const std::vector<Module>& modules, const TeConversionOptions& options)
        : m_modules(modules), m_options(options), m_nodes(treeOf(modules)) {
        m_result.decisions.resize(modules.size());
    }

    TeConversion run() {
        if (m_nodes[0].module) decide(0, false, "It is the root, and only children are replaced.");
        visitChildren(0);
        for (size_t i = 0; i < m_modules.size(); ++i) {
            TeDecision& decision = m_result.decisions[i];
            if (decision.reason.empty()) decision.reason = leftoverReason(m_modules[i]);
        }
        return std::move(m_result);
    }

private:
    void visitChildren(size_t parent) {
        const std::vector<size_t>& children = m_nodes[parent].children;
        for (size_t i = 0; i < children.size() && !m_result.failure; ++i) {
            if (visit(children[i])) continue;
            const std::string stop = stopReason(m_modules[*m_nodes[children[i]].module]);
            for (size_t later = i + 1; later < children.size(); ++later)
                decideSubtree(children[later], stop);
            return;
        }
    }

    /// False when the conversion stops with this parent.
    bool visit(size_t node) {
        const Module* module = m_nodes[node].module ? &m_modules[*m_nodes[node].module] : nullptr;
        if (module && module->kind == ModuleKind::Linear && m_options.linears) return visitLinear(node, *module);
        if (module && module->kind == ModuleKind::LayerNorm && m_options.layerNorms) {
            visitLayerNorm(node, *module);
            return true;
        }
        visitChildren(node);
        return true;
    }

    bool visitLinear(size_t node, const Module& linear) {
        if (linear.outFeatures() % kWidthStep != 0 || linear.inFeatures() % kWidthStep != 0) {
            const bool out = linear.outFeatures() % kWidthStep != 0;
            decideSubtree(node,
                          fmt::format("{} {} are not a multiple of 16, so Accelerate's convert_model stops here.",
                                      out ? linear.outFeatures() : linear.inFeatures(), out ? "outputs" : "inputs"));
            return false;
        }
        decideSubtree(node, fmt::format("It goes away with {}, which te.Linear replaces.", linear.name));
        decide(node, true,
               fmt::format("Accelerate's convert_model takes it: {} x {}, multiples of 16.", linear.outFeatures(),
                           linear.inFeatures()));
        return true;
    }

    void visitLayerNorm(size_t node, const Module& norm) {
        if (!norm.affine) {
            m_result.failure = {
                "AttributeError", norm.name,
                fmt::format("Accelerate's convert_model fails at {}: a LayerNorm without weights has no dtype to copy.",
                            norm.name)};
        } else if (norm.dims.size() != 1) {
            m_result.failure = {
                "RuntimeError", norm.name,
                fmt::format("Accelerate's convert_model fails at {}: te.LayerNorm takes one dimension, this LayerNorm "
                            "has {}.",
                            norm.name, norm.dims.size())};
        }
        const bool converted = !m_result.failure;
        decide(
            node, converted,
            converted ? "Accelerate's convert_model replaces LayerNorm by te.LayerNorm." : m_result.failure->message);
    }

    static std::string stopReason(const Module& stop) {
        return fmt::format(
            "It comes after {} ({} x {}, not multiples of 16), where Accelerate's convert_model leaves this parent.",
            stop.name, stop.outFeatures(), stop.inFeatures());
    }

    std::string leftoverReason(const Module& module) const {
        if (m_result.failure) return "The conversion had failed before it came here.";
        if (module.kind == ModuleKind::Linear || module.kind == ModuleKind::LayerNorm) {
            return "This kind of module was not asked to be converted.";
        }
        return "Accelerate's convert_model replaces only nn.Linear and nn.LayerNorm.";
    }

    void decide(size_t node, bool converted, std::string reason) {
        m_result.decisions[*m_nodes[node].module] = {converted, std::move(reason)};
    }

    void decideSubtree(size_t node, const std::string& reason) {
        if (m_nodes[node].module) decide(node, false, reason);
        for (size_t child : m_nodes[node].children)
            decideSubtree(child, reason);
    }

    const std::vector<Module>& m_modules;
    TeConversionOptions m_options;
    std::vector<Node> m_nodes;
    TeConversion m_result;
};

}  // namespace

TeConversion convertForTe(const std::vector<Module>& modules, const TeConversionOptions& options) {
    return Walk(modules, options).run();
}

}  // namespace octet::arch
