// Memory of one process in another.
//
// Allocations are private anonymous memory, the fastest there is. Only when a
// handle is asked for are the pages of that one allocation moved into a memfd,
// which is then mapped at the same addresses, shared. The handle names the
// memfd as /proc/<pid>/fd/<fd>; another process of the same user opens it there.
// It stays valid while the exporting process lives and the memory is not freed.
#include "runtime/hipsim/hip/ipc.h"

#include "runtime/hipsim/hip/capture.h"

#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hipsim;

namespace {

constexpr uint64_t pageBytes = 4096;
constexpr char magic[8] = {'h', 'i', 'p', 's', 'i', 'm', '1', 0};

/// What a hipIpcMemHandle_t holds.
struct Handle {
  char magic[8];
  int32_t pid, fd;
  uint64_t inode;  ///< Of the memfd: an fd number may be used again.
  uint64_t bytes;  ///< Of the allocation.
  uint64_t offset; ///< Of the pointer in it.
};
static_assert(sizeof(Handle) <= sizeof(hipIpcMemHandle_t));

struct Import {
  uint64_t inode, offset;
  uint8_t *mapping;
  uint64_t mappedBytes;
  unsigned uses = 1;
};

struct Ipc {
  std::mutex mutex;
  std::map<uint64_t, int> exports;        ///< Start of the allocation -> memfd.
  std::map<const void *, Import> imports; ///< By the pointer that was returned.
};
Ipc &ipc() {
  static Ipc *all = new Ipc;
  return *all;
}

uint64_t roundUp(uint64_t bytes) { return (bytes + pageBytes - 1) & ~(pageBytes - 1); }

bool writeAll(int fd, const uint8_t *from, uint64_t bytes, uint64_t at) {
  while (bytes) {
    ssize_t n = pwrite(fd, from, bytes, off_t(at));
    if (n <= 0)
      return false;
    from += n, at += uint64_t(n), bytes -= uint64_t(n);
  }
  return true;
}

/// Copies the pages that exist: an allocation may be far larger than what was
/// written of it. /proc/self/pagemap tells, bit 63 present, bit 62 swapped.
bool copyPages(int fd, const uint8_t *begin, uint64_t bytes) {
  int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  uint64_t pages = bytes / pageBytes, first = reinterpret_cast<uint64_t>(begin) / pageBytes;
  bool ok = true;
  for (uint64_t page = 0; page < pages && ok;) {
    uint64_t entries[512];
    uint64_t count = std::min<uint64_t>(512, pages - page);
    if (map < 0 || pread(map, entries, count * 8, off_t((first + page) * 8)) !=
                       ssize_t(count * 8))
      std::fill_n(entries, count, ~0ull); // Not told: copy everything.
    for (uint64_t i = 0; i < count && ok; ++i, ++page)
      if (entries[i] >> 62)
        ok = writeAll(fd, begin + page * pageBytes, pageBytes, page * pageBytes);
  }
  if (map >= 0)
    close(map);
  return ok;
}

/// Moves an allocation into a memfd, in place. -1: the system refuses.
int shareInPlace(const Allocation &a) {
  auto *begin = reinterpret_cast<uint8_t *>(a.begin);
  uint64_t bytes = roundUp(a.end - a.begin);
  int fd = memfd_create("hipsim", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  if (ftruncate(fd, off_t(bytes)) == 0 && copyPages(fd, begin, bytes) &&
      mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
    return fd;
  close(fd);
  return -1;
}

hipError_t getHandle(hipIpcMemHandle_t *out, void *pointer) {
  Runtime &runtime = Runtime::get();
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Allocation a;
  if (!out || !pointer || !runtime.memory.lookup(address, a) || a.kind != MemoryKind::Device)
    return hipErrorInvalidValue;
  runtime.waitAllDevices(); // Nobody may write while the pages move.
  std::lock_guard lock(ipc().mutex);
  for (const auto &[returned, import] : ipc().imports)
    if (address >= reinterpret_cast<uint64_t>(import.mapping) &&
        address < reinterpret_cast<uint64_t>(import.mapping) + import.mappedBytes)
      return hipErrorInvalidValue; // Not ours to export.
  auto [entry, isNew] = ipc().exports.try_emplace(a.begin, -1);
  if (isNew && (entry->second = shareInPlace(a)) < 0) {
    ipc().exports.erase(entry);
    return hipErrorOutOfMemory;
  }
  struct stat info;
  if (fstat(entry->second, &info) != 0)
    return hipErrorOperatingSystem;
  Handle handle = {{}, getpid(), entry->second, info.st_ino, a.end - a.begin,
                   address - a.begin};
  std::memcpy(handle.magic, magic, sizeof(magic));
  *out = {};
  std::memcpy(out->reserved, &handle, sizeof(handle));
  return hipSuccess;
}

/// The memfd that a handle names; -1 when it is gone.
int openMemory(const Handle &handle) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", handle.pid, handle.fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat info;
  if (fd >= 0 && (fstat(fd, &info) != 0 || info.st_ino != handle.inode ||
                  uint64_t(info.st_size) < handle.bytes)) {
    close(fd);
    return -1;
  }
  return fd;
}

hipError_t openHandle(void **out, const hipIpcMemHandle_t &opaque, unsigned flags) {
  Runtime &runtime = Runtime::get();
  Handle handle;
  std::memcpy(&handle, opaque.reserved, sizeof(handle));
  if (!out || flags != hipIpcMemLazyEnablePeerAccess ||
      std::memcmp(handle.magic, magic, sizeof(magic)) != 0 || handle.bytes == 0 ||
      handle.bytes > 1ull << 46 || handle.offset >= handle.bytes)
    return hipErrorInvalidValue;
  *out = nullptr;
  if (handle.pid == getpid())
    return hipErrorInvalidContext; // As HIP: not in the process that exports.
  std::lock_guard lock(ipc().mutex);
  for (auto &[pointer, import] : ipc().imports)
    if (import.inode == handle.inode && import.offset == handle.offset) {
      ++import.uses;
      *out = const_cast<void *>(pointer);
      return hipSuccess;
    }
  int fd = openMemory(handle);
  if (fd < 0)
    return hipErrorMapFailed;
  uint64_t bytes = roundUp(handle.bytes);
  void *mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapping == MAP_FAILED)
    return hipErrorMapFailed;
  auto *base = static_cast<uint8_t *>(mapping);
  uint64_t begin = reinterpret_cast<uint64_t>(base);
  runtime.memory.add({begin, begin + handle.bytes, MemoryKind::Device, true, currentDevice, 0});
  *out = base + handle.offset;
  ipc().imports[*out] = {handle.inode, handle.offset, base, bytes};
  return hipSuccess;
}

hipError_t closeHandle(void *pointer) {
  Runtime &runtime = Runtime::get();
  std::lock_guard lock(ipc().mutex);
  auto found = ipc().imports.find(pointer);
  if (found == ipc().imports.end())
    return hipErrorInvalidValue;
  if (--found->second.uses)
    return hipSuccess;
  hipError_t error = runtime.waitAllDevices();
  runtime.memory.remove(reinterpret_cast<uint64_t>(found->second.mapping));
  munmap(found->second.mapping, found->second.mappedBytes);
  ipc().imports.erase(found);
  return error;
}

hipError_t refuseEvents() {
  Runtime::get().report("hipsim: events are not shared between processes "
                        "(hipIpcGetEventHandle, hipEventInterprocess)\n");
  return hipErrorNotSupported;
}

} // namespace

void hipsim::forgetExport(void *pointer) {
  std::lock_guard lock(ipc().mutex);
  auto found = ipc().exports.find(reinterpret_cast<uint64_t>(pointer));
  if (found == ipc().exports.end())
    return;
  close(found->second);
  ipc().exports.erase(found);
}

void hipsim::forgetExportsOf(uint32_t device) {
  std::lock_guard lock(ipc().mutex);
  std::erase_if(ipc().exports, [&](const auto &entry) {
    Allocation a;
    bool gone = !Runtime::get().memory.lookup(entry.first, a) || a.device == device;
    if (gone)
      close(entry.second);
    return gone;
  });
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *pointer) {
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  return finish(getHandle(handle, pointer));
}

hipError_t hipIpcOpenMemHandle(void **pointer, hipIpcMemHandle_t handle, unsigned flags) {
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  return finish(openHandle(pointer, handle, flags));
}

hipError_t hipIpcCloseMemHandle(void *pointer) {
  if (hipError_t error = checkUnsafeCall())
    return finish(error);
  return finish(closeHandle(pointer));
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *, hipEvent_t) {
  return finish(refuseEvents());
}
hipError_t hipIpcOpenEventHandle(hipEvent_t *, hipIpcEventHandle_t) {
  return finish(refuseEvents());
}
