// SPDX-License-Identifier: Apache-2.0
// A device that somebody opened, and memory on it. What the machine does wrong is thrown as DeviceError, with the
// plug-in's sentence.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "engine/backend/device_interface.h"

namespace octet::backend {

class DeviceError final : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Owns the handle; one thread at a time.
class Device {
public:
    Device(const DeviceTable& table, int32_t index) : m_table(table) {
        Failure failure;
        if (!table.open(index, &m_handle, &failure)) throw DeviceError(failure.text);
    }
    ~Device() { m_table.close(m_handle); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// call(table.cast, &job): adds handle and failure, throws when it went wrong.
    template <class... Parameters, class... Arguments>
    void call(bool (*function)(DeviceHandle*, Parameters...), Arguments... arguments) {
        Failure failure;
        if (!function(m_handle, arguments..., &failure)) throw DeviceError(failure.text);
    }

    [[nodiscard]] const DeviceTable& table() const { return m_table; }
    [[nodiscard]] DeviceHandle* handle() const { return m_handle; }

private:
    const DeviceTable& m_table;
    DeviceHandle* m_handle = nullptr;
};

/// `count` elements on the device, freed with the buffer.
template <class T>
class DeviceBuffer {
public:
    DeviceBuffer(Device& device, size_t count) : m_device(device), m_count(count) {
        device.call(device.table().allocate, bytes(), &m_pointer);
    }
    DeviceBuffer(Device& device, std::span<const T> values) : DeviceBuffer(device, values.size()) {
        if (m_count > 0) device.call(device.table().upload, m_pointer, values.data(), bytes());
    }
    ~DeviceBuffer() { m_device.table().release(m_device.handle(), m_pointer); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    void zero() {
        if (m_count > 0) m_device.call(m_device.table().zero, m_pointer, bytes());
    }
    [[nodiscard]] std::vector<T> download() const {
        std::vector<T> values(m_count);
        if (m_count > 0) m_device.call(m_device.table().download, values.data(), m_pointer, bytes());
        return values;
    }
    [[nodiscard]] T* get() const { return static_cast<T*>(m_pointer); }

private:
    [[nodiscard]] size_t bytes() const { return m_count * sizeof(T); }

    Device& m_device;
    size_t m_count;
    void* m_pointer = nullptr;
};

}  // namespace octet::backend
