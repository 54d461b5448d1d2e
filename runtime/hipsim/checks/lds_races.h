// LDS accesses of different waves that no barrier orders, a byte at a time.
//
// Each byte remembers who read, wrote or atomically changed it since the last
// barrier. A tag is the number of the phase between two barriers and a wave;
// tags of earlier phases are smaller, so a barrier costs one addition.
#pragma once

#include "runtime/hipsim/checks/wait_counters.h"

namespace hipsim {

class LdsRaces {
public:
  /// A new workgroup with so many bytes of LDS.
  void start(uint32_t ldsBytes);
  /// All waves have arrived at a barrier.
  void nextPhase();

  struct Race {
    bool found = false;
    uint32_t lane = 0, byte = 0;
    LdsAccess other = LdsAccess::None;
    int otherWave = -1;        ///< -1: several.
    const Step *otherStep = nullptr;
  };
  /// Records an access; what it races with, if anything.
  Race access(uint32_t wave, const Step &step, LdsAccess kind,
              const LdsFootprint &footprint);

private:
  static constexpr uint32_t waveBits = 5, several = 31;
  using Tag = uint16_t;

  template <uint32_t Bytes>
  Race accessBytes(Tag mine, const Step &step, LdsAccess kind,
                   const LdsFootprint &footprint);
  Race explain(uint32_t lane, uint32_t begin, uint32_t bytes, Tag mine,
               LdsAccess kind) const;

  struct Layer {
    std::vector<Tag> tag;           ///< By byte.
    std::vector<const Step *> step; ///< By dword: the newest.
  };
  Layer readers, writers, atomics;
  bool atomicsUsed = false;
  uint32_t phase = 0;
  Tag base = 0; ///< Tags from here on are of this phase.
};

} // namespace hipsim
