// The rows of the target table.
//
// Sources: AMD's CDNA3 and CDNA4 instruction set documents, LLVM's AMDGPU
// usage document, the vendor's product pages for the counts of compute units.

#include "dialects/target/target.h"

#include <algorithm>
#include <array>

namespace moec {

namespace {

constexpr std::array kCdna3Matrix = {
    MatrixInstruction{"bf16", 16, 16, 16, 4, "rocdl.mfma.f32.16x16x16bf16.1k", "i16"},
};

constexpr std::array kCdna4Matrix = {
    MatrixInstruction{"bf16", 16, 16, 32, 8, "rocdl.mfma.f32.16x16x32.bf16", "bf16"},
    MatrixInstruction{"bf16", 16, 16, 16, 4, "rocdl.mfma.f32.16x16x16bf16.1k", "i16"},
};

constexpr std::array<std::string_view, 13> kCdna3Absent = {
    "nvvm.",
    "rocdl.wmma.",
    "rocdl.cvt.scalef32.",
    "rocdl.ds.read.tr",
    "rocdl.mfma.f32.16x16x32.bf16",
    "rocdl.mfma.f32.16x16x32.f16",
    "rocdl.mfma.f32.32x32x16.bf16",
    "rocdl.mfma.f32.32x32x16.f16",
    "rocdl.mfma.i32.16x16x64.i8",
    "rocdl.mfma.i32.32x32x32.i8",
    "rocdl.mfma.scale.",
    "rocdl.permlane16.swap",
    "rocdl.permlane32.swap",
};

constexpr std::array<std::string_view, 4> kCdna4Absent = {
    "nvvm.",
    "rocdl.wmma.",
    "rocdl.mfma.f32.16x16x8.xf32",
    "rocdl.mfma.f32.32x32x4.xf32",
};

constexpr std::array kTargets = {
    Target{.name = "gfx942",
           .device = "MI300X",
           .triple = "amdgcn-amd-amdhsa",
           .features = "",
           .waveLanes = 64,
           .simdsPerCu = 4,
           .maxWavesPerSimd = 8,
           .computeUnits = 304,
           .xcds = 8,
           .vgprsPerSimd = 512,
           .vgprGranule = 8,
           .maxVgprs = 512,
           .ldsBytes = 64 * 1024,
           .maxWorkgroup = 1024,
           .fp8 = "fnuz",
           .matrix = kCdna3Matrix,
           .absentOps = kCdna3Absent},
    Target{.name = "gfx950",
           .device = "MI355X",
           .triple = "amdgcn-amd-amdhsa",
           .features = "",
           .waveLanes = 64,
           .simdsPerCu = 4,
           .maxWavesPerSimd = 8,
           .computeUnits = 256,
           .xcds = 8,
           .vgprsPerSimd = 512,
           .vgprGranule = 8,
           .maxVgprs = 512,
           .ldsBytes = 160 * 1024,
           .maxWorkgroup = 1024,
           .fp8 = "ocp",
           .matrix = kCdna4Matrix,
           .absentOps = kCdna4Absent},
};

} // namespace

const MatrixInstruction *Target::findMatrix(std::string_view element, int m) const {
  for (const MatrixInstruction &instruction : matrix)
    if (instruction.element == element && instruction.m == m)
      return &instruction;
  return nullptr;
}

int Target::wavesPerSimd(int vgprs, int64_t lds, int workgroupThreads) const {
  int granules = std::max(1, (vgprs + vgprGranule - 1) / vgprGranule);
  int byRegisters = std::min(maxWavesPerSimd, vgprsPerSimd / (granules * vgprGranule));
  if (lds <= 0)
    return byRegisters;
  int wavesPerGroup = std::max(1, workgroupThreads / waveLanes);
  int64_t waves = (ldsBytes / lds) * wavesPerGroup;
  int byLds = int(std::max<int64_t>(lds <= ldsBytes, waves / simdsPerCu));
  return std::min(byRegisters, byLds);
}

std::span<const Target> targets() { return kTargets; }

const Target *findTarget(std::string_view name) {
  for (const Target &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string targetNames() {
  std::string names;
  for (const Target &target : kTargets)
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

} // namespace moec
