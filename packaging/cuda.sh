# SPDX-License-Identifier: Apache-2.0
# What a machine with an NVIDIA driver gets besides: the NVIDIA libraries that torch's GPU part is linked to, and nvcc where
# there is no CUDA 13 toolkit, all from PyPI into Octet's cache folder. OCTET_CUDA=OFF leaves the GPU alone.
# Sourced by packaging/setup, run and test, after install.sh.

driverFound() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2> /dev/null | grep -q 'libcuda\.so\.1'; }
gpuWanted() { [ "${OCTET_CUDA:-}" != OFF ] && driverFound; }

# An nvcc that CMake would find (packaging/cmake/OctetCuda.cmake) and that is new enough.
toolkitFound() {
    local nvcc
    for nvcc in "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
        "${OCTET_TOOLKIT:-/usr/local/cuda}/bin/nvcc"; do
        [ -x "$nvcc" ] || continue
        [ "$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')" -lt 13 ] || return 0
    done
    return 1
}

cudaLists() {
    printf '%s\n' "$root/packaging/cuda-libraries.txt"
    toolkitFound || printf '%s\n' "$root/packaging/cuda-compiler.txt"
}
# shellcheck disable=SC2046  # one word per list
cudaSum() { cat $(cudaLists) | sha256sum | cut -d ' ' -f 1; }
cudaComplete() { ! gpuWanted || [ "$(cat "$libtorch/.octet-cuda-complete" 2> /dev/null)" = "$(cudaSum)" ]; }

# Beside torch's own files, where libtorch_cuda.so looks for them, under the lock of LibTorch's folder.
installCuda() {
    local new list requirements=()
    echo "NVIDIA driver found: CUDA libraries and, where there is no toolkit, nvcc: wheels from PyPI, 1.9 GB to download," \
        "2.9 GB on disk, into $libtorch (OCTET_CUDA=OFF leaves them out)"
    for list in $(cudaLists); do requirements+=(--requirement "$list"); done
    lockLibtorch
    rm -rf "$libtorch".new.*
    new=$(mktemp -d "$libtorch.new.XXXXXX")
    fetchWheels "$new" CUDA "${requirements[@]}"
    # Links, not copies: both lie on one disk, and nothing is half there if this stops.
    cp -alf "$new/wheels/." "$libtorch/" || fail "The CUDA files could not be put into $libtorch." "Check its rights."
    rm -rf "$new"
    cudaSum > "$libtorch/.octet-cuda-complete"
    unlockLibtorch
}
