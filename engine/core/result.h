// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that a person can act on. For what users can cause; exceptions are for what the
// machine does (out of memory, a broken disk), assertions for what we did wrong.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace octet {

/// Decides the exit code of octet-engine and how a window shows it.
enum class ErrorCode {
    Usage,         // arguments, recipe or run spec are wrong; decided before work starts
    Refused,       // understood, but a library or this version does not do it
    NotFound,      // a file, run, layer or series that does not exist
    Unreadable,    // rights, damage, or not the kind of file that was expected
    NewerVersion,  // written by a newer version of Octet
    Busy,          // locked by somebody else
    Failed,        // went wrong while working (disk full, device lost)
};

/// A sentence on what was expected and what was found, and a hint on what to do.
struct Error {
    ErrorCode code = ErrorCode::Failed;
    std::string message;
    std::string hint;  // may be empty
};

/// Short stable name of a code for `--json` output, e.g. "not_found".
[[nodiscard]] const char* errorCodeName(ErrorCode code);

/// 2 for what is decided before work starts, 1 for what fails later.
[[nodiscard]] int exitCodeFor(ErrorCode code);

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() & { return std::get<0>(m_state); }
    [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(m_state)); }
    [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    [[nodiscard]] bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

}  // namespace octet
