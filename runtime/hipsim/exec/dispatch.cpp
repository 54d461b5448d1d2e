// The state in which a kernel starts, and the limits of a launch.
#include "runtime/hipsim/exec/dispatch.h"

#include "runtime/hipsim/checks/group_checker.h"
#include "runtime/hipsim/exec/workgroup.h"

#include <algorithm>
#include <cstring>

using namespace hipsim;

namespace {

/// Undefined scalar and vector registers: a NaN as f32, and an address that no
/// allocation has.
constexpr uint32_t poison = 0xfffbad00u;

uint32_t itemsOf(const Dispatch &d) { return d.block[0] * d.block[1] * d.block[2]; }

void setScalarState(Wave &w, const Dispatch &d, const Workgroup &group) {
  for (uint32_t i = 0; i < 128; ++i)
    w.sgpr[i] = poison | i;
  const KernelDescriptor &k = *d.kernel;
  uint32_t next = 0;
  auto put = [&](uint32_t value) {
    if (next < 102)
      w.sgpr[next++] = value;
  };
  auto put64 = [&](uint64_t value) {
    put(uint32_t(value));
    put(uint32_t(value >> 32));
  };
  if (k.enablePrivateSegmentBuffer)
    next += 4; // Not used with architected flat scratch: stays poisoned.
  if (k.enableDispatchPtr)
    put64(d.packet);
  if (k.enableQueuePtr)
    next += 2; // No queue object exists: stays poisoned.
  if (k.enableKernargSegmentPtr)
    put64(d.kernarg);
  if (k.enableDispatchId)
    put64(0);
  if (k.enableFlatScratchInit)
    next += 2; // Architected flat scratch needs no initialisation.
  if (k.enablePrivateSegmentSize)
    put(k.privateSegmentBytes);
  for (uint32_t i = 0; i < k.kernargPreloadLength; ++i) {
    uint32_t value = 0, at = (k.kernargPreloadOffset + i) * 4;
    if (at + 4 <= k.kernargBytes)
      std::memcpy(&value, reinterpret_cast<const void *>(d.kernarg + at), 4);
    put(value);
  }
  next = std::max(next, k.userSgprCount);
  if (k.enableWorkgroupIdX)
    put(group.id[0]);
  if (k.enableWorkgroupIdY)
    put(group.id[1]);
  if (k.enableWorkgroupIdZ)
    put(group.id[2]);
  if (k.enableWorkgroupInfo)
    put(0);
}

void setVectorState(Wave &w, const Dispatch &d) {
  const KernelDescriptor &k = *d.kernel;
  uint32_t vgprs = std::min(k.accumOffset, 256u);
  uint32_t agprs = std::min(k.vgprs - std::min(k.vgprs, k.accumOffset), 256u);
  auto fill = [&](uint32_t first, uint32_t count) {
    for (uint32_t r = first; r < first + count; ++r)
      std::fill_n(w.rows[r].lane, laneCount, poison | (r & 0xff));
  };
  fill(0, vgprs);
  fill(agprRow, agprs);
  uint32_t items = itemsOf(d), first = w.index * laneCount;
  uint64_t exec = 0;
  for (uint32_t l = 0; l < laneCount && first + l < items; ++l) {
    uint32_t id = first + l;
    uint32_t x = id % d.block[0], y = id / d.block[0] % d.block[1],
             z = id / d.block[0] / d.block[1];
    w.rows[0].lane[l] = x | y << 10 | z << 20;
    exec |= 1ull << l;
  }
  std::memcpy(w.sgpr + sgprExec, &exec, 8);
}

} // namespace

uint32_t hipsim::ldsLimit(Arch arch) {
  return arch == Arch::Gfx942 ? 64 * 1024 : 160 * 1024;
}

std::string hipsim::checkLaunch(const Dispatch &d, bool &resources) {
  resources = false;
  const KernelDescriptor &k = *d.kernel;
  uint64_t items = uint64_t(d.block[0]) * d.block[1] * d.block[2];
  auto number = [](uint64_t v) { return std::to_string(v); };
  std::string kernel = "kernel " + k.name + ": ";
  if (items == 0 || items > 1024)
    return kernel + "a block has " + number(items) + " work items; 1 to 1024 are possible";
  if (k.maxFlatWorkgroupSize && items > k.maxFlatWorkgroupSize)
    return kernel + "a block has " + number(items) +
           " work items, but it was compiled for at most " +
           number(k.maxFlatWorkgroupSize);
  for (int i = 0; i < 3; ++i)
    if (k.reqdWorkgroupSize[0] && k.reqdWorkgroupSize[i] != d.block[i])
      return kernel + "the block size in dimension " + number(i) + " is " +
             number(d.block[i]) + ", but it requires " +
             number(k.reqdWorkgroupSize[i]);
  resources = true;
  uint64_t lds = uint64_t(k.groupSegmentBytes) + d.dynamicLds;
  uint32_t limit = ldsLimit(d.program->object().arch);
  if (lds > limit)
    return kernel + number(lds) + " bytes of LDS; a workgroup may have " + number(limit);
  if (k.vgprs > 512)
    return kernel + number(k.vgprs) + " registers; a lane has 512";
  uint32_t step = d.program->stepAt(k.entry);
  if (step == Program::noStep)
    return kernel + "its entry is not the start of an instruction";
  uint32_t vgprs, agprs;
  d.program->registersOf(step, vgprs, agprs);
  if (vgprs > k.accumOffset || k.accumOffset + agprs > k.vgprs)
    return kernel + "it uses v0..v" + number(vgprs - 1) + " and " + number(agprs) +
           " AGPRs, but its descriptor allocates " + number(k.vgprs) +
           " registers of which " + number(k.accumOffset) + " are VGPRs";
  return {};
}

ResidentGroup::ResidentGroup(Dispatch &dispatch, uint64_t linearId)
    : random(dispatch.seed ^ (linearId + 1) * 0x9e3779b97f4a7c15ull) {
  const KernelDescriptor &k = *dispatch.kernel;
  group.dispatch = &dispatch;
  group.linearId = linearId;
  group.id[0] = uint32_t(linearId % dispatch.grid[0]);
  group.id[1] = uint32_t(linearId / dispatch.grid[0] % dispatch.grid[1]);
  group.id[2] = uint32_t(linearId / dispatch.grid[0] / dispatch.grid[1]);
  group.ldsBytes = k.groupSegmentBytes + dispatch.dynamicLds;

  uint32_t waveCount = (itemsOf(dispatch) + laneCount - 1) / laneCount;
  // Functions that are called through pointers may need more than the kernel
  // was told; real stacks are sized generously, too.
  uint32_t scratch = k.privateSegmentBytes + (k.dynamicStack ? 16384 : 0);
  scratch = (scratch + 15) & ~15u;
  size_t registerBytes = size_t(waveCount) * rowCount * sizeof(Row);
  size_t scratchBytes = size_t(waveCount) * laneCount * scratch;
  size_t ldsBytes = (size_t(group.ldsBytes) + 63) & ~size_t(63);
  storageBytes = registerBytes + scratchBytes + ldsBytes;
  storage = static_cast<uint8_t *>(takeStorage(storageBytes));
  if (!storage) {
    std::lock_guard lock(dispatch.mutex);
    dispatch.failed = true;
    dispatch.error = {FaultKind::Limit,
                      "hipsim: the host has no memory for the registers of a workgroup\n"};
    dispatch.stop = true;
    return;
  }
  group.lds = storage + registerBytes + scratchBytes;
  // Undefined memory of the group: NaN in every float format.
  std::memset(group.lds, 0xff, ldsBytes);
  std::memset(storage + registerBytes, 0xff, scratchBytes);

  if (dispatch.recorder)
    trace = dispatch.recorder->begin(linearId, waveCount);
  waves.resize(waveCount);
  uint32_t entry = k.entry + (k.kernargPreloadLength ? 256 : 0);
  for (uint32_t i = 0; i < waveCount; ++i) {
    Wave &w = waves[i];
    w.index = i;
    w.group = &group;
    w.rows = reinterpret_cast<Row *>(storage) + size_t(i) * rowCount;
    w.scratch = storage + registerBytes + size_t(i) * laneCount * scratch;
    w.scratchBytes = scratch;
    w.steps = dispatch.program->steps().data();
    w.step = dispatch.program->stepAt(entry);
    w.arch = uint8_t(dispatch.program->object().arch);
    w.mode = k.floatMode | uint32_t(k.dx10Clamp) << 8 | uint32_t(k.ieee) << 9 |
             uint32_t(k.fp16Overflow) << 23;
    setScalarState(w, dispatch, group);
    setVectorState(w, dispatch);
  }
  if (dispatch.checks)
    checker = std::make_unique<GroupChecker>(group, waveCount);
}

ResidentGroup::~ResidentGroup() { giveStorage(storage, storageBytes); }
