# SPDX-License-Identifier: Apache-2.0
# Installs what is missing: Debian packages by apt-get, and wheels from PyPI into Octet's cache folder (LibTorch here, CUDA in
# cuda.sh). Sourced by packaging/setup, run and test, after checks.sh.

wantedPackages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/packaging/debian-packages.txt" | tr -d ' \t'; }

# One dpkg-query call for all; it also names what is known to dpkg but removed.
missingPackages() {
    local wanted installed
    wanted=$(wantedPackages)
    # shellcheck disable=SC2086  # one word per package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2> /dev/null |
        sed -n 's/^installed //p') || true
    comm -23 <(sort -u <<< "$wanted") <(sort -u <<< "$installed") | tr '\n' ' '
}

asRoot() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

checkRights() {
    [ "$(id -u)" -eq 0 ] || command -v sudo > /dev/null || refuse \
        "to run as root or with sudo, to install Debian packages" "neither" \
        "As root, run: apt-get install $1"
}

# Turns apt's status lines (kind:name:percent:text) into one line per tenth, so that a log stays short.
showAptProgress() {
    awk -F : '$1 ~ /^(dl|pm)status$/ && $3 ~ /^[0-9.]+$/ {
        step = $1 int($3 / 10)
        if (step != last) { printf "  %3d %%  %s\n", $3, $4; fflush() }
        last = step
    }'
}

installPackages() {
    local missing=$1 log=$logs/apt.log
    export DEBIAN_FRONTEND=noninteractive
    echo "Debian packages to install: $missing"
    asRoot apt-get update -q > "$log" 2>&1 < /dev/null || aptFailed "$log" "refresh its package lists"
    # shellcheck disable=SC2086  # one word per package
    asRoot apt-get install --assume-no --no-install-recommends $missing < /dev/null 2>&1 |
        grep -E '^(Need to get|After this)' | sed 's/^/  /' || true
    # The status goes through a pipe of its own: apt makes it non-blocking, and a package's script that shared it
    # would fail on a write. The inner shell makes it, since sudo closes every descriptor above 2.
    # shellcheck disable=SC2016,SC2086
    asRoot bash -c 'log=$1; shift; exec apt-get -o APT::Status-Fd=3 "$@" 3>&1 >> "$log" 2>&1' bash "$log" \
        install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 $missing < /dev/null |
        showAptProgress || aptFailed "$log" "install the packages"
}

aptFailed() {
    local reason
    reason=$(grep -E '^(E|Err|W):' "$1" | tail -n 1 || true)
    if grep -q 'No space left' "$1"; then
        fail "apt-get could not $2: the disk is full." "Free some space and start again; all of apt's words: $1"
    fi
    if grep -qE 'Temporary failure resolving|Could not (resolve|connect)|Failed to fetch' "$1"; then
        fail "apt-get could not reach the Debian servers, so it could not $2." \
            "Check the network and the proxy, then start again; all of apt's words: $1"
    fi
    fail "apt-get could not $2 (${reason:-no reason given})." \
        "Run apt-get update by hand and read what it says; all of apt's words: $1"
}

# Complete means: renamed into place after pip verified the very sums that libtorch.txt names today.
libtorchComplete() { [ "$(cat "$libtorch/.octet-complete" 2> /dev/null)" = "$(libtorchSum)" ]; }
libtorchSum() { sha256sum < "$root/packaging/libtorch.txt" | cut -d ' ' -f 1; }

# Into a folder beside the final one, then renamed: an interrupted download never looks complete. The lock keeps two
# starts from downloading at once; it is freed by the kernel however this process ends.
lockLibtorch() {
    exec {libtorchLock}> "$libtorch.lock"
    flock --nonblock "$libtorchLock" || { echo "Another start is fetching LibTorch; waiting for it."; flock "$libtorchLock"; }
}
unlockLibtorch() { exec {libtorchLock}>&-; }

installLibtorch() {
    local parent new
    parent=$(dirname "$libtorch")
    mkdir -p "$parent" || fail "Cannot create $parent." "Check its rights, or name another folder in OCTET_CACHE."
    lockLibtorch
    if ! libtorchComplete; then
        echo "LibTorch 2.11.0: three wheels from PyPI, 544 MB to download, 1.2 GB on disk, into $libtorch"
        rm -rf "$libtorch".new.*
        new=$(mktemp -d "$libtorch.new.XXXXXX")
        fetchWheels "$new" LibTorch --requirement "$root/packaging/libtorch.txt"
        libtorchSum > "$new/wheels/.octet-complete"
        rm -rf "$libtorch"
        mv "$new/wheels" "$libtorch"
        rm -rf "$new"
    fi
    unlockLibtorch
}

# fetchWheels NEW WHAT --requirement LIST...: unpacks the wheels of the lists into NEW/wheels, their sums checked.
fetchWheels() {
    local new=$1 what=$2 log=$logs/pip.log
    shift 2
    rm -f "$log"
    mkdir "$new/tmp"
    # The torch wheel is for CPython 3.11; nobody imports it, so the Python that runs pip may be another one.
    # TMPDIR: pip unpacks there first, and /tmp may be small or on another disk.
    TMPDIR=$new/tmp PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_RETRIES=${PIP_RETRIES:-3} \
        "${OCTET_PYTHON:-/usr/bin/python3}" -m pip install --log "$log" --disable-pip-version-check \
        --root-user-action ignore --no-input --no-cache-dir --no-compile --no-deps --require-hashes --only-binary :all: \
        --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 \
        --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_18_x86_64 \
        --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_12_x86_64 \
        --platform manylinux2010_x86_64 "$@" --target "$new/wheels" < /dev/null || pipFailed "$new" "$what" "$log"
}

pipFailed() {
    local new=$1 what=$2 log=$3
    rm -rf "$new"
    if grep -q 'DO NOT MATCH THE HASHES' "$log" 2> /dev/null; then
        fail "A downloaded wheel of $what does not have the sha256 sum that packaging/*.txt expects, so it was thrown away." \
            "Start again; if it happens twice, check the proxy or mirror between here and PyPI. pip's words: $log"
    fi
    if grep -q 'No space left' "$log" 2> /dev/null; then
        fail "The disk of $(dirname "$libtorch") is full." \
            "Free 2 GB, or name another folder in OCTET_CACHE, and start again."
    fi
    fail "pip could not fetch the $what wheels from PyPI." \
        "Check the network, proxy and pip's settings, then start again; all of pip's words: $log"
}
