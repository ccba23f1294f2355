# SPDX-License-Identifier: Apache-2.0
# One build folder and one configuration for packaging/run and packaging/test. Sourced by packaging/setup.

# Nothing to do when the folder is configured for this source tree and this LibTorch; a driver that has come since, and nvcc
# with it, are to be found anew.
configured() {
    [ -f "$build/build.ninja" ] &&
        [ "$(grep -cxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$root" -e "OCTET_LIBTORCH:PATH=$libtorch" \
            -e OCTET_TRAIN:BOOL=ON -e OCTET_TESTS:BOOL=ON -e OCTET_WINDOW:BOOL=ON \
            "$build/CMakeCache.txt")" -eq 5 ] &&
        ! { gpuWanted && grep -qx 'OCTET_NVCC:FILEPATH=OCTET_NVCC-NOTFOUND' "$build/CMakeCache.txt"; }
}

# A folder made by another generator or copied from elsewhere starts afresh.
configure() {
    ! configured || return 0
    echo "Configuring $build"
    local fresh=()
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" 2> /dev/null &&
        grep -qxF CMAKE_GENERATOR:INTERNAL=Ninja "$build/CMakeCache.txt" || fresh=(--fresh)
    CXX=${CXX:-g++} cmake "${fresh[@]}" -S "$root" -B "$build" -G Ninja -DOCTET_TRAIN=ON -DOCTET_TESTS=ON -DOCTET_WINDOW=ON \
        -DOCTET_LIBTORCH="$libtorch" -DOCTET_CUDA="${OCTET_CUDA:-AUTO}" -U OCTET_TORCH_CPU -U OCTET_C10 > "$logs/configure.log" 2>&1 || {
        cat "$logs/configure.log" >&2
        fail "CMake could not configure $build." "Its reasons are above."
    }
}

# A file that includes torch headers takes up to 2 GB while it is compiled.
buildJobs() {
    local kb limit jobs
    kb=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
    limit=$(cat /sys/fs/cgroup/memory.max 2> /dev/null || true)
    case "$limit" in '' | max) ;; *) [ $((limit / 1024)) -ge "$kb" ] || kb=$((limit / 1024)) ;; esac
    jobs=$((kb / 2000000))
    [ "$jobs" -le "$(nproc)" ] || jobs=$(nproc)
    [ "$jobs" -ge 1 ] || jobs=1
    printf '%s' "$jobs"
}

# buildTargets TARGET...: shows Ninja's counter, [done/all].
buildTargets() {
    [ -f "$build/.ninja_log" ] || echo "Building for the first time, which takes about ten minutes on two cores"
    cmake --build "$build" --parallel "$(buildJobs)" --target "$@" < /dev/null ||
        fail "Building $* failed." "The first error is above; a second start goes on where this one ended."
}
