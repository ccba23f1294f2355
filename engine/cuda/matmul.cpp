// SPDX-License-Identifier: Apache-2.0
// cuBLASLt reads columns first. A row-major [m, k] is a column-major [k, m], so out^T[n, m] = b[n, k] a^T[k, m]: the
// library's A is our b (transposed), its B our a (plain): the "TN" form.
#include "engine/cuda/matmul.h"

#include <cublasLt.h>

#include <stdexcept>
#include <vector>

namespace octet::cuda {
namespace {

using backend::GemmOperands;
using backend::GemmPlan;
using backend::GemmType;
using backend::ScaleMode;

/// TE's size for Hopper: 32 MiB and a little.
constexpr size_t kWorkspaceBytes = 32 * 1024 * 1024 + 1024;

void check(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw std::runtime_error(std::string("cuBLASLt could not ") + what + ": " + cublasLtGetStatusString(status) +
                                 ".");
    }
}

cudaDataType_t typeOf(GemmType type) {
    switch (type) {
        case GemmType::E4M3:
            return CUDA_R_8F_E4M3;
        case GemmType::E5M2:
            return CUDA_R_8F_E5M2;
        case GemmType::Bf16:
            return CUDA_R_16BF;
        case GemmType::Float32:
            return CUDA_R_32F;
    }
    return CUDA_R_32F;
}

int32_t modeOf(ScaleMode mode) {
    switch (mode) {
        case ScaleMode::Row:
            return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
        case ScaleMode::Block1x128:
            return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
        case ScaleMode::Block128x128:
            return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
        case ScaleMode::Mx1x32:
            return CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
        default:
            return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    }
}

/// Destroys a cuBLASLt object that its create function filled.
template <class Handle, cublasStatus_t (*destroy)(Handle)>
struct Owned {
    Handle get = nullptr;

    Owned() = default;
    ~Owned() {
        if (get != nullptr) destroy(get);
    }
    Owned(Owned&& other) noexcept : get(std::exchange(other.get, nullptr)) {}
    Owned& operator=(Owned&&) = delete;
};
using Descriptor = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Matrix = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class T>
void set(const Descriptor& descriptor, cublasLtMatmulDescAttributes_t attribute, const T& value, const char* what) {
    check(cublasLtMatmulDescSetAttribute(descriptor.get, attribute, &value, sizeof value), what);
}

/// One plan as the library holds it.
struct Prepared {
    GemmPlan plan;
    Descriptor descriptor;
    Matrix a, b, out;
    cublasLtMatmulAlgo_t algorithm{};
};

void describe(Prepared& prepared) {
    const GemmPlan& plan = prepared.plan;
    const Descriptor& descriptor = prepared.descriptor;
    check(cublasLtMatmulDescCreate(&prepared.descriptor.get, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describe a product");
    set(descriptor, CUBLASLT_MATMUL_DESC_TRANSA, static_cast<int32_t>(CUBLAS_OP_T), "transpose");
    set(descriptor, CUBLASLT_MATMUL_DESC_TRANSB, static_cast<int32_t>(CUBLAS_OP_N), "transpose");
    if (plan.aScaling != ScaleMode::None) {
        set(descriptor, CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<int8_t>(plan.fastAccumulation),
            "set fast accumulation");
        set(descriptor, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, modeOf(plan.bScaling), "set the scale mode");
        set(descriptor, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, modeOf(plan.aScaling), "set the scale mode");
    }
    if (plan.bias != 0) {
        const cudaDataType_t biasType =
            plan.out == GemmType::Float32 && plan.aScaling == ScaleMode::None ? CUDA_R_32F : CUDA_R_16BF;
        set(descriptor, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(CUBLASLT_EPILOGUE_BIAS), "add a bias");
        set(descriptor, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<int32_t>(biasType), "add a bias");
    }
    const auto rows = [](int64_t value) { return static_cast<uint64_t>(value); };
    check(cublasLtMatrixLayoutCreate(&prepared.a.get, typeOf(plan.bType), rows(plan.k), rows(plan.n), plan.bPitch),
          "describe a matrix");
    check(cublasLtMatrixLayoutCreate(&prepared.b.get, typeOf(plan.aType), rows(plan.k), rows(plan.m), plan.aPitch),
          "describe a matrix");
    check(cublasLtMatrixLayoutCreate(&prepared.out.get, typeOf(plan.out), rows(plan.n), rows(plan.m), plan.outPitch),
          "describe a matrix");
}

std::string planText(const GemmPlan& plan) {
    return std::string(backend::typeName(plan.aType)) + " [" + std::to_string(plan.m) + ", " + std::to_string(plan.k) +
           "] x " + backend::typeName(plan.bType) + " [" + std::to_string(plan.k) + ", " + std::to_string(plan.n) +
           "] -> " + backend::typeName(plan.out);
}

}  // namespace

struct Matmul::Library {
    cublasLtHandle_t handle = nullptr;
    void* workspace = nullptr;
    std::vector<std::unique_ptr<Prepared>> prepared;

    Library() {
        check(cublasLtCreate(&handle), "start");
        if (cudaMalloc(&workspace, kWorkspaceBytes) != cudaSuccess) {
            cublasLtDestroy(handle);
            throw std::runtime_error("The GPU has no 32 MiB left for cuBLASLt's workspace.");
        }
    }
    ~Library() {
        prepared.clear();
        cudaFree(workspace);
        cublasLtDestroy(handle);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    Prepared& prepare(const GemmPlan& plan, const GemmOperands& operands) {
        for (const auto& known : prepared)
            if (known->plan == plan) return *known;
        auto made = std::make_unique<Prepared>();
        made->plan = plan;
        describe(*made);
        point(*made, operands);
        chooseAlgorithm(*made);
        prepared.push_back(std::move(made));
        return *prepared.back();
    }

    static void point(const Prepared& prepared, const GemmOperands& operands) {
        if (prepared.plan.aScaling != ScaleMode::None) {
            set(prepared.descriptor, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.bScale, "take a scale");
            set(prepared.descriptor, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.aScale, "take a scale");
        }
        if (prepared.plan.bias != 0) {
            set(prepared.descriptor, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias, "take a bias");
        }
    }

    void chooseAlgorithm(Prepared& made) const {
        Preference preference;
        check(cublasLtMatmulPreferenceCreate(&preference.get), "state a preference");
        check(cublasLtMatmulPreferenceSetAttribute(preference.get, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &kWorkspaceBytes, sizeof kWorkspaceBytes),
              "state a preference");
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        const auto status =
            cublasLtMatmulAlgoGetHeuristic(handle, made.descriptor.get, made.a.get, made.b.get, made.out.get,
                                           made.out.get, preference.get, 1, &found, &count);
        if (status == CUBLAS_STATUS_NOT_SUPPORTED || count == 0) {
            throw std::runtime_error("cuBLASLt has no algorithm for " + planText(made.plan) + ".");
        }
        check(status, "choose an algorithm");
        made.algorithm = found.algo;
    }
};

Matmul::Matmul() = default;
Matmul::~Matmul() = default;

std::string Matmul::run(cudaStream_t stream, const GemmPlan& plan, const GemmOperands& operands) {
    try {
        if (plan.m == 0 || plan.n == 0) return {};
        const size_t outBytes = static_cast<size_t>(plan.m * plan.outPitch) * (plan.out == GemmType::Bf16 ? 2 : 4);
        if (plan.k == 0) {
            const bool zeroed = cudaMemsetAsync(operands.out, 0, outBytes, stream) == cudaSuccess;
            return zeroed ? "" : "The GPU could not clear a result.";
        }
        if (!m_library) m_library = std::make_unique<Library>();
        Prepared& prepared = m_library->prepare(plan, operands);
        Library::point(prepared, operands);
        const float one = 1.0f, zero = 0.0f;
        check(cublasLtMatmul(m_library->handle, prepared.descriptor.get, &one, operands.b, prepared.a.get, operands.a,
                             prepared.b.get, &zero, operands.out, prepared.out.get, operands.out, prepared.out.get,
                             &prepared.algorithm, m_library->workspace, kWorkspaceBytes, stream),
              ("multiply " + planText(plan)).c_str());
        return {};
    } catch (const std::runtime_error& trouble) {
        return trouble.what();
    }
}

}  // namespace octet::cuda
