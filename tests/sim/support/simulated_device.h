// Launches of the support kernels through the HIP functions of libhipsim.
//
// The tests go through the same C functions that the runtime resolves, without
// the runtime: a failure here is the kernel's or the simulator's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace moec::test {

struct Grid {
  uint32_t x = 1, y = 1;
};

/// Device memory of exactly `bytes` bytes, so that the simulator sees every
/// access beside it; a null pointer when empty. Contents are undefined.
class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  void write(const void *from, size_t bytes, size_t offset = 0);
  void read(void *to, size_t bytes, size_t offset = 0) const;
  void *pointer() const { return memory; }

private:
  void *memory = nullptr;
};

/// A buffer with the content of `values`.
template <typename T> class DeviceArray : public DeviceBuffer {
public:
  explicit DeviceArray(const std::vector<T> &values)
      : DeviceBuffer(values.size() * sizeof(T)), count(values.size()) {
    write(values.data(), count * sizeof(T));
  }
  std::vector<T> values() const {
    std::vector<T> result(count);
    read(result.data(), count * sizeof(T));
    return result;
  }

private:
  size_t count;
};

/// Runs the kernel `name` (of <name>.<chip>.hsaco) and waits for it. `args`
/// points at the arguments in order. A failure fails the test case.
void launch(const std::string &name, Grid grid, uint32_t blockThreads,
            std::vector<void *> args);

/// MOEC_TEST_SEED, or a fixed seed.
uint32_t testSeed();
/// The command that runs `tag` again as now.
std::string rerunCommand(const std::string &tag);

} // namespace moec::test
