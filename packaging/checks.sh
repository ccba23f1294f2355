# SPDX-License-Identifier: Apache-2.0
# What the machine must offer before anything is installed. Each check ends with a sentence on what was expected,
# what was found and what to do. Sourced by packaging/setup, run and test.

# refuse EXPECTED FOUND HINT: nothing has been done yet (exit code 2).
refuse() {
    printf 'packaging: Expected %s; found %s. %s\n' "$1" "$2" "$3" >&2
    exit 2
}

# fail WHAT HINT: something went wrong while working (exit code 1).
fail() {
    printf 'packaging: %s %s\n' "$1" "$2" >&2
    exit 1
}

checkArchitecture() {
    local machine
    machine=$(uname -m)
    [ "$machine" = x86_64 ] || refuse "an x86_64 machine" "$machine" \
        "Octet's LibTorch wheels exist for x86_64 only; set up another machine."
}

# Debian from 12 on, or a distribution made from it that has the same package names (Ubuntu from 24.04 on).
checkSystem() {
    local file=${OCTET_OS_RELEASE:-/etc/os-release} hint found
    hint="Install the packages in packaging/debian-packages.txt by your own means and use plain CMake (README.md)."
    [ -r "$file" ] || refuse "Debian 12 or a relative" "no $file" "$hint"
    found=$(. "$file" && printf '%s|%s|%s' "${ID:-}" "${ID_LIKE:-}" "${VERSION_ID:-}")
    local id=${found%%|*} version=${found##*|} like oldest
    like=${found#*|} like=${like%|*}
    case " $id $like " in
        *" ubuntu "*) oldest=24.04 ;;
        *" debian "*) oldest=12 ;;
        *) refuse "Debian 12 or a relative" "${id:-an unnamed system} ${version}" "$hint" ;;
    esac
    # Debian testing has no version. A relative that counts in its own way (Mint 22) fails at apt-get if it is too old.
    [ "$id" = debian ] || [ "$id" = ubuntu ] || return 0
    [ -z "$version" ] || [ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ] ||
        refuse "$id $oldest or newer" "$id $version" "$hint"
}

checkCompiler() {
    local compiler=${CXX:-g++} version
    case "$compiler" in *clang*) return 0 ;; esac
    command -v "${compiler%% *}" > /dev/null || refuse "a C++ compiler" "no $compiler" "Run: apt install g++"
    version=$($compiler -dumpversion)
    [ "${version%%.*}" -ge 12 ] || refuse "g++ 12 or newer" "$compiler $version" \
        "Install g++ 12 (on Debian 12: apt install g++) or name a newer one: CXX=g++-12 packaging/run"
}

# An existing folder at or above a path that may not exist yet.
existingParent() {
    local path=$1
    until [ -d "$path" ]; do path=$(dirname "$path"); done
    printf '%s' "$path"
}

# checkFreeSpace PATH KB [PATH KB]...: places on one file system need the sum of what each of them needs.
checkFreeSpace() {
    local -A need=() where=()
    local path device
    while [ $# -gt 0 ]; do
        path=$(existingParent "$1")
        device=$(stat -c %d "$path")
        need[$device]=$((${need[$device]:-0} + $2))
        where[$device]="${where[$device]:-$path}"
        shift 2
    done
    for device in "${!need[@]}"; do
        local free
        free=$(df -Pk "${where[$device]}" | awk 'NR == 2 { print $4 }')
        [ "$free" -ge "${need[$device]}" ] || refuse \
            "$(megabytes "${need[$device]}") MB of free space on the disk of ${where[$device]}" \
            "$(megabytes "$free") MB" "Free some space, or move the cache: OCTET_CACHE=/other/disk packaging/run"
    done
}

megabytes() { printf '%s' $((($1 + 1023) / 1024)); }
