// SPDX-License-Identifier: Apache-2.0
// A next-byte MLP on a window of bytes: embedding, hidden linears with GELU, head.
#pragma once

#include "engine/model/model_torch.h"

namespace octet::model {

class Mlp final : public Model {
public:
    Mlp(const arch::ModelSpec& spec, const recipe::TrainingPlan& plan, uint64_t seed);
    at::Tensor loss(const at::Tensor& tokens, backend::Backend& backend, const PassContext& pass) override;

private:
    at::Tensor m_embedding;
    std::vector<Fp8Linear*> m_hidden;
    Fp8Linear* m_head;
};

}  // namespace octet::model
