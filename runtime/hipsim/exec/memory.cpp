// The allocation table and its snapshots.
#include "runtime/hipsim/exec/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

using namespace hipsim;

namespace {

constexpr uint64_t pageBytes = 4096;
/// Freed ranges that are remembered to name a use after free.
constexpr size_t freedKept = 256;
/// Address space that freed memory may keep from being reused.
constexpr uint64_t quarantineLimit = 1ull << 40;

std::string text(const char *format, auto... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), format, values...);
  return buffer;
}

const char *kindName(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device: return "device allocation";
  case MemoryKind::Host: return "host allocation";
  case MemoryKind::Code: return "code object";
  case MemoryKind::Kernarg: return "kernel argument segment";
  }
  return "range";
}

std::string name(const Allocation &a) {
  return text("%s #%llu [0x%llx, 0x%llx) of %llu bytes", kindName(a.kind),
              (unsigned long long)a.serial, (unsigned long long)a.begin,
              (unsigned long long)a.end, (unsigned long long)(a.end - a.begin));
}

} // namespace

const Allocation *MemorySnapshot::find(uint64_t address) const {
  auto it = std::upper_bound(
      live.begin(), live.end(), address,
      [](uint64_t value, const Allocation &a) { return value < a.begin; });
  if (it == live.begin())
    return nullptr;
  --it;
  return address < it->end ? &*it : nullptr;
}

std::string MemorySnapshot::describe(uint64_t address, uint64_t size) const {
  if (const Allocation *inside = find(address)) {
    if (address + size > inside->end)
      return text("the access runs %llu bytes past the end of ",
                  (unsigned long long)(address + size - inside->end)) +
             name(*inside);
    return "inside " + name(*inside) +
           (inside->writable ? "" : ", which is read-only");
  }
  for (auto it = freed.rbegin(); it != freed.rend(); ++it)
    if (address >= it->begin && address < it->end)
      return text("%llu bytes into freed ",
                  (unsigned long long)(address - it->begin)) +
             name(*it);
  const Allocation *nearest = nullptr;
  uint64_t best = ~0ull;
  for (const Allocation &a : live) {
    uint64_t distance = address < a.begin ? a.begin - address : address - a.end;
    if (distance < best) {
      best = distance;
      nearest = &a;
    }
  }
  if (!nearest)
    return "there is no live allocation";
  return text("%llu bytes %s ", (unsigned long long)best,
              address < nearest->begin ? "before" : "past the end of") +
         name(*nearest);
}

DeviceMemory::~DeviceMemory() {
  for (auto &[begin, block] : owned)
    munmap(block.mapping, block.mappedBytes);
  for (const Block &block : quarantined)
    munmap(block.mapping, block.mappedBytes);
}

void DeviceMemory::publish() {
  auto next = std::make_shared<MemorySnapshot>();
  next->live.reserve(live.size());
  for (const auto &[begin, allocation] : live)
    next->live.push_back(allocation);
  next->freed = freed;
  current = std::move(next);
}

void *DeviceMemory::allocate(uint64_t bytes, MemoryKind kind, uint32_t device,
                             bool poison) {
  if (bytes > (1ull << 46))
    return nullptr;
  uint64_t rounded = (bytes + pageBytes - 1) & ~(pageBytes - 1);
  size_t mapped = rounded + 2 * pageBytes;
  void *mapping = mmap(nullptr, mapped, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return nullptr;
  auto *begin = static_cast<uint8_t *>(mapping) + pageBytes;
  if (mprotect(begin, rounded, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mapped);
    return nullptr;
  }
  if (poison)
    std::memset(begin, 0xff, bytes);
  std::lock_guard lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(begin);
  live[address] = {address, address + bytes, kind, true, device, nextSerial++};
  owned[address] = {mapping, mapped};
  publish();
  return begin;
}

bool DeviceMemory::release(void *pointer) {
  std::lock_guard lock(mutex);
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto block = owned.find(address);
  if (block == owned.end())
    return false;
  quarantine(block->second);
  owned.erase(block);
  auto it = live.find(address);
  if (freed.size() == freedKept)
    freed.erase(freed.begin());
  freed.push_back(it->second);
  live.erase(it);
  publish();
  return true;
}

void DeviceMemory::quarantine(const Block &block) {
  // Mapping anew gives the pages back and keeps the addresses.
  mmap(block.mapping, block.mappedBytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  quarantined.push_back(block);
  quarantinedBytes += block.mappedBytes;
  while (quarantined.size() > freedKept || quarantinedBytes > quarantineLimit) {
    Block &oldest = quarantined.front();
    munmap(oldest.mapping, oldest.mappedBytes);
    quarantinedBytes -= oldest.mappedBytes;
    quarantined.pop_front();
  }
}

void DeviceMemory::add(const Allocation &range) {
  std::lock_guard lock(mutex);
  Allocation stored = range;
  stored.serial = nextSerial++;
  live[range.begin] = stored;
  publish();
}

void DeviceMemory::remove(uint64_t begin) {
  std::lock_guard lock(mutex);
  live.erase(begin);
  publish();
}

bool DeviceMemory::lookup(uint64_t address, Allocation &out) const {
  const Allocation *found = nullptr;
  auto view = snapshot();
  found = view->find(address);
  if (found)
    out = *found;
  return found != nullptr;
}

std::shared_ptr<const MemorySnapshot> DeviceMemory::snapshot() const {
  std::lock_guard lock(mutex);
  return current;
}

void DeviceMemory::releaseAll(uint32_t device) {
  std::vector<void *> victims;
  {
    std::lock_guard lock(mutex);
    for (const auto &[begin, block] : owned)
      if (live[begin].device == device)
        victims.push_back(reinterpret_cast<void *>(begin));
  }
  for (void *victim : victims)
    release(victim);
}

uint64_t DeviceMemory::bytesInUse(uint32_t device) const {
  std::lock_guard lock(mutex);
  uint64_t total = 0;
  for (const auto &[begin, a] : live)
    if (a.device == device && a.kind == MemoryKind::Device)
      total += a.end - a.begin;
  return total;
}
