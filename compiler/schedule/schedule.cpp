// Which schedule a stage gets on a target, and whether a given one is legal.

#include "compiler/schedule/schedule.h"

#include <algorithm>

using namespace mlir;

namespace moec {

using tile::kTile;
/// k of a block of scales in memory, and of a step.
constexpr int64_t kScaleBlock = 256;

StageShape StageShape::of(moe::StageOp stage) {
  moe::ContractOp contract = stage.getContract();
  return {stage.getResultRows().getCols().value(),
          contract.getX().getType().getCols().value(),
          int64_t(contract.getNumResults()),
          contract.getWeights().getType().getFormat().getGroup()};
}

Resources resourcesOf(const StageShape &shape, tile::ScheduleAttr schedule,
                      const Target &target) {
  Resources need;
  need.ldsBytes = 2 * schedule.getBlockM() * schedule.getBlockK() * 2;
  int64_t frags = shape.projections * schedule.getBlockN() / (kTile * schedule.getWaves());
  int64_t weights = schedule.getBlockK() / 32;
  int64_t scales = (tile::groupCount(schedule.getBlockK(), shape.group) + 1) / 2;
  int64_t staged = schedule.getBlockM() * schedule.getBlockK() * 2 /
                   (schedule.getWaves() * target.waveLanes * 4);
  need.registers = frags * 4 + schedule.getPrefetch() * (frags * (weights + scales) + staged) + 32;
  return need;
}

tile::ScheduleAttr chooseSchedule(moe::StageOp stage) {
  StageShape shape = StageShape::of(stage);
  // Four waves hide each other's waits; fewer only when channels run out.
  int64_t waves = 4;
  while (waves > 1 && kTile * (waves / 2) >= shape.channels)
    waves /= 2;
  // A short contraction leaves little to stream between the fixed costs of a
  // block: give a wave more channels then. Two projections count double.
  int64_t tiles = shape.depth > 1024 ? 1 : 4;
  tiles = std::max<int64_t>(1, tiles / shape.projections);
  while (tiles > 1 && kTile * waves * tiles >= 2 * shape.channels)
    tiles /= 2;
  return tile::ScheduleAttr::get(stage.getContext(), kTile, kTile * waves * tiles,
                                 kScaleBlock, waves, 2);
}

ErrorCode checkSchedule(moe::StageOp stage, tile::ScheduleAttr schedule,
                        const Target &target) {
  auto refuse = [&](ErrorCode code, const Twine &what) {
    stage.emitError() << "schedule " << schedule << " of stage @"
                      << stage.getSymName() << ": " << what;
    return code;
  };
  if (std::string problem = tile::scheduleProblem(schedule); !problem.empty())
    return refuse(ErrorCode::Content, problem);
  if (!target.findMatrix("bf16", kTile))
    return refuse(ErrorCode::Unsupported,
                  Twine(std::string(target.name)) +
                      " has no bf16 matrix instruction of 16 rows");
  Resources need = resourcesOf(StageShape::of(stage), schedule, target);
  if (need.ldsBytes > target.ldsBytes)
    return refuse(ErrorCode::Unsupported,
                  "needs " + Twine(need.ldsBytes) + " bytes of LDS, " +
                      std::string(target.name) + " has " + Twine(target.ldsBytes) +
                      ": reduce block_k");
  int64_t waves = schedule.getWaves();
  int64_t wavesPerSimd = std::max<int64_t>(1, waves / target.simdsPerCu);
  int64_t registers = target.maxVgprs / wavesPerSimd;
  if (need.registers > registers)
    return refuse(ErrorCode::Unsupported,
                  "needs " + Twine(need.registers) + " registers a lane, " +
                      std::string(target.name) + " has " + Twine(registers) + " with " +
                      Twine(waves) + " waves: reduce block_n or use more waves");
  return ErrorCode::Ok;
}

} // namespace moec
