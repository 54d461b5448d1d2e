// Checking, queueing and executing work.
#include "runtime/hipsim/hip/work.h"

#include "runtime/hipsim/hip/capture.h"

#include <cstring>

using namespace hipsim;

namespace {

/// Bytes from the first to the last one of a box; false when that overflows.
bool spanOf(size_t width, size_t height, size_t depth, size_t pitch,
            size_t rows, size_t &span) {
  size_t slice, slices, row;
  return !__builtin_mul_overflow(pitch, rows, &slice) &&
         !__builtin_mul_overflow(slice, depth - 1, &slices) &&
         !__builtin_mul_overflow(pitch, height - 1, &row) &&
         !__builtin_add_overflow(slices, row, &span) &&
         !__builtin_add_overflow(span, width, &span);
}

/// Whether [pointer, pointer + bytes) may be read or written by a copy. Memory
/// that is not ours is the host's, and legal unless the kind says device.
bool isLegal(const void *pointer, size_t bytes, bool mustBeOurs, bool &ours) {
  Allocation a;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  ours = Runtime::get().memory.lookup(address, a);
  return ours ? bytes <= a.end - address : pointer && !mustBeOurs;
}

bool isDeviceSide(hipMemcpyKind kind, bool dst) {
  return kind == hipMemcpyDeviceToDevice ||
         kind == (dst ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost);
}

/// A graph may be replayed, and a command may run, after its memory was freed.
void refuseFreed(const char *what, const void *pointer, uint32_t device) {
  Runtime &runtime = Runtime::get();
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  char line[160];
  std::snprintf(line, sizeof(line),
                "hipsim: %s at 0x%llx when it ran: ", what,
                (unsigned long long)address);
  runtime.report(line + runtime.memory.snapshot()->describe(address, 1) + "\n");
  runtime.devices[device]->setError(hipErrorIllegalAddress);
}

void performCopy(const CopyWork &c, uint32_t device) {
  bool ours;
  size_t span = 0;
  spanOf(c.width, c.height, c.depth, c.dstPitch, c.dstRows, span);
  if (c.dstOurs && !isLegal(c.dst, span, true, ours))
    return refuseFreed("a copy writes", c.dst, device);
  spanOf(c.width, c.height, c.depth, c.srcPitch, c.srcRows, span);
  if (c.srcOurs && !isLegal(c.src, span, true, ours))
    return refuseFreed("a copy reads", c.src, device);
  for (size_t z = 0; z < c.depth; ++z)
    for (size_t y = 0; y < c.height; ++y)
      std::memmove(static_cast<char *>(c.dst) + (z * c.dstRows + y) * c.dstPitch,
                   static_cast<const char *>(c.src) + (z * c.srcRows + y) * c.srcPitch,
                   c.width);
}

void performFill(const FillWork &f, uint32_t device) {
  if (f.width == 0 || f.height == 0)
    return;
  if (checkFill(f) != hipSuccess)
    return refuseFreed("a fill writes", f.dst, device);
  for (size_t y = 0; y < f.height; ++y) {
    auto *row = static_cast<uint8_t *>(f.dst) + y * f.pitch;
    if (f.elementBytes == 1)
      std::memset(row, int(f.value), f.width);
    else
      for (size_t x = 0; x < f.width; ++x)
        std::memcpy(row + x * f.elementBytes, &f.value, f.elementBytes);
  }
}

} // namespace

hipError_t hipsim::checkCopy(CopyWork &c) {
  if (c.kind < hipMemcpyHostToHost || c.kind > hipMemcpyDefault)
    return hipErrorInvalidMemcpyDirection;
  if (c.width == 0 || c.height == 0 || c.depth == 0) {
    c.width = c.height = c.depth = 0;
    return hipSuccess;
  }
  if ((c.height > 1 || c.depth > 1) &&
      (c.dstPitch < c.width || c.srcPitch < c.width))
    return hipErrorInvalidPitchValue;
  size_t dstSpan, srcSpan;
  if (!spanOf(c.width, c.height, c.depth, c.dstPitch, c.dstRows, dstSpan) ||
      !spanOf(c.width, c.height, c.depth, c.srcPitch, c.srcRows, srcSpan) ||
      !isLegal(c.dst, dstSpan, isDeviceSide(c.kind, true), c.dstOurs) ||
      !isLegal(c.src, srcSpan, isDeviceSide(c.kind, false), c.srcOurs))
    return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t hipsim::checkFill(const FillWork &f) {
  if (f.elementBytes != 1 && f.elementBytes != 2 && f.elementBytes != 4)
    return hipErrorInvalidValue;
  if (f.width == 0 || f.height == 0)
    return hipSuccess;
  size_t row, span;
  bool ours;
  if (__builtin_mul_overflow(f.width, size_t(f.elementBytes), &row) ||
      (f.height > 1 && f.pitch < row) ||
      !spanOf(row, f.height, 1, f.pitch, f.height, span) ||
      !isLegal(f.dst, span, true, ours))
    return hipErrorInvalidValue;
  return hipSuccess;
}

void hipsim::perform(const Work &work) {
  if (Runtime::get().devices[work.device]->error())
    return; // A node of another device than the stream's.
  if (auto *kernel = std::get_if<KernelWork>(&work.what))
    performKernel(*kernel, work.device);
  else if (auto *copy = std::get_if<CopyWork>(&work.what))
    performCopy(*copy, work.device);
  else if (auto *fill = std::get_if<FillWork>(&work.what))
    performFill(*fill, work.device);
  else if (auto *host = std::get_if<HostWork>(&work.what))
    host->function(host->argument);
}

Enqueued hipsim::enqueue(ihipStream_t &stream, WorkPtr work) {
  Enqueued result;
  if (captureWork(stream, work, result.error)) {
    result.captured = true;
    return result;
  }
  Device &device = *Runtime::get().devices[stream.device];
  result.ticket = device.submit(stream, [work = std::move(work)] { perform(*work); });
  return result;
}
