// Device memory: which address ranges are live, and what they are.
//
// Device pointers are host pointers, so copies are memcpy; but a kernel may
// touch only ranges registered here. A launch reads an immutable snapshot of
// the table, so that the check of an access takes no lock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hipsim {

enum class MemoryKind : uint8_t { Device, Host, Code, Kernarg };

/// One live range of addresses.
struct Allocation {
  uint64_t begin = 0, end = 0; ///< [begin, end)
  MemoryKind kind = MemoryKind::Device;
  bool writable = true;
  uint32_t device = 0;
  uint64_t serial = 0; ///< Counts allocations of the process, for messages.
};

/// An immutable, sorted view of the live ranges. Thread-safe.
class MemorySnapshot {
public:
  /// The range that contains `address`, or null.
  const Allocation *find(uint64_t address) const;
  /// One sentence about where `address` lies: inside a freed range, n bytes
  /// after the nearest live one, and so on.
  std::string describe(uint64_t address, uint64_t size) const;

private:
  friend class DeviceMemory;
  std::vector<Allocation> live;  ///< Sorted by begin.
  std::vector<Allocation> freed; ///< The most recently freed, oldest first.
};

/// The allocation table. Every function may be called from any thread.
class DeviceMemory {
public:
  ~DeviceMemory();
  /// `bytes` of zero-cost (lazily backed) memory, 4096-aligned with guard
  /// pages around it; null when the system refuses. Poisoned with 0xFF when
  /// `poison` is set.
  void *allocate(uint64_t bytes, MemoryKind kind, uint32_t device, bool poison);
  /// False: `pointer` is not the start of a live allocation made by allocate().
  bool release(void *pointer);
  /// Registers memory owned by someone else, e.g. a loaded code object.
  void add(const Allocation &range);
  void remove(uint64_t begin);
  /// The range that contains `address`; false if none does.
  bool lookup(uint64_t address, Allocation &out) const;
  std::shared_ptr<const MemorySnapshot> snapshot() const;
  /// Releases what allocate() made for `device`.
  void releaseAll(uint32_t device);
  uint64_t bytesInUse(uint32_t device) const;

private:
  struct Block {
    void *mapping;
    size_t mappedBytes;
  };
  void publish();
  void quarantine(const Block &block);

  mutable std::mutex mutex;
  std::map<uint64_t, Allocation> live;
  std::map<uint64_t, Block> owned; ///< By begin; those made by allocate().
  std::vector<Allocation> freed;
  /// Mappings of freed memory, without pages: their addresses are not reused
  /// for a while, so that a use after free is not a use of something else.
  std::deque<Block> quarantined;
  uint64_t quarantinedBytes = 0;
  std::shared_ptr<const MemorySnapshot> current =
      std::make_shared<MemorySnapshot>();
  uint64_t nextSerial = 1;
};

} // namespace hipsim
