// One tile.program on its way to one lane's code; shared by the files beside.
//
// Which lane holds what (l = lane, j = l % 16, g = l / 16; the operand maps
// of the 16-row matrix instructions, target.h):
//   a       row j; vector<4 x i32> for each 32 columns: its columns 8g..8g+7
//   b       channel j; a dword for each 32 columns: nibbles of columns
//           8g..8g+7, in vectors of 4 (a 16-byte load) and a shorter last one
//   scale   channel j; a dword for each two groups
//   acc     channel j, rows 4g..4g+3: vector<4 x f32>
//   offset  as acc, one for each group
//   staged  16-byte chunks of rows, numbered along k first, dealt to the
//           threads of the block in order
// The order along k inside 32 columns is the same in a and b and differs from
// the matrix instruction's own; a sum does not care.
#pragma once

#include "compiler/lowering/lane_builder.h"
#include "compiler/lowering/tile_to_rocdl.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace moec {

class ProgramLowering {
public:
  ProgramLowering(mlir::tile::ProgramOp program, const Target &target,
                  mlir::OpBuilder &builder)
      : program(program), target(target), builder(builder),
        lane(builder, program.getLoc()) {}

  ErrorCode run();

private:
  using Values = mlir::SmallVector<mlir::Value>;

  /// A matrix of rows in memory.
  struct RowsOperand {
    mlir::moe::RowsType type;
    mlir::Value pointer, buffer;
    int64_t rowBytes = 0;
  };
  /// Weights in memory, and buffers over the block's expert.
  struct WeightsOperand {
    mlir::moe::ExpertsType type;
    mlir::Value values, scales; ///< Pointers.
    mlir::Value valueBuffer, scaleBuffer;
    int64_t valueBytes = 0, scaleBytes = 0; ///< Of one expert.
  };
  struct RoutingOperand {
    mlir::moe::RoutingType type;
    mlir::Value sortedIds, expertIds, numValid, routerWeights, tokens;
  };
  /// How the threads share the chunks of a staged tile of some width.
  struct Staging {
    int64_t chunks = 0; ///< 16-byte chunks of the tile.
    Values rowOfChunk;  ///< Sorted id of each of this thread's chunks.
    Values column;      ///< Byte offset of the chunk in its row.
    Values ldsOffset;   ///< Byte offset of the chunk in the LDS tile.
  };

  // program_lowering.cpp: structure.
  ErrorCode createKernel();
  void bindArguments(mlir::Block &entry);
  void createLds();
  void lowerBody(mlir::Block &block);
  void lower(mlir::Operation &op);
  void lowerRows(mlir::tile::RowsOp op);
  void lowerFor(mlir::Operation &op);
  void lowerIndexOp(mlir::Operation &op);
  mlir::SmallVector<mlir::Type> loweredTypes(mlir::Type type);
  /// `lanes`, the part of an offset that each lane has for itself, or kOutside
  /// where `inside` is false. The uniform part cannot say it: hardware does
  /// not check that one against the end of a buffer alike everywhere.
  mlir::Value guarded(mlir::Value inside, mlir::Value lanes);
  mlir::Value scalar(mlir::Value v) { return values.lookup(v).front(); }
  ErrorCode refuse(mlir::Operation *op, const llvm::Twine &what);

  // activations.cpp: rows, LDS, results.
  void prepareStaging(int64_t cols);
  mlir::Value rowOf(mlir::Value id, mlir::moe::RowSpace space);
  mlir::Value isRow(mlir::Value id);
  mlir::Value rowOffset(mlir::Value id, const RowsOperand &rows, mlir::Value column);
  void lowerFetch(mlir::tile::FetchOp op);
  void lowerPut(mlir::tile::PutOp op);
  void lowerRead(mlir::tile::ReadOp op);
  void lowerRouterWeight(mlir::tile::RouterWeightOp op);
  void lowerMap(mlir::tile::MapOp op);
  void lowerStore(mlir::tile::StoreOp op);
  mlir::Value ldsTile(mlir::Value buffer, mlir::Value slot);

  // weights.cpp: quantised operands and the matrix instruction.
  void lowerLoad(mlir::tile::LoadOp op);
  void lowerLoadScale(mlir::tile::LoadScaleOp op);
  void lowerOffset(mlir::tile::OffsetOp op);
  void lowerMma(mlir::tile::MmaOp op);
  mlir::Value channelTile(int64_t projection, mlir::Value n);
  mlir::Value insideWeights(const WeightsOperand &w, mlir::Value tile, mlir::Value k);
  Values unpackInt4(mlir::Value dword);
  mlir::Value scaleOf(mlir::ValueRange packed, int64_t group);
  mlir::Value matrix(mlir::ValueRange a, mlir::ValueRange b, mlir::Value acc);

  int64_t threads() {
    return program.getSchedule().getWaves() * target.waveLanes;
  }

  mlir::tile::ProgramOp program;
  const Target &target;
  const MatrixInstruction *instruction = nullptr;
  mlir::OpBuilder &builder;
  LaneBuilder lane;

  llvm::DenseMap<mlir::Value, Values> values; ///< Tile value -> lane values.
  llvm::MapVector<mlir::Value, RowsOperand> rows;
  llvm::MapVector<mlir::Value, WeightsOperand> weights;
  llvm::MapVector<mlir::Value, RoutingOperand> routings;
  llvm::DenseMap<int64_t, Staging> stagings; ///< By columns of the tile.
  RoutingOperand *routing = nullptr;

  // Made at the start of the kernel.
  mlir::Value thread, laneId, channel, quarter; ///< tid, l, j, g.
  mlir::Value weightMask, weightMagic, weightOffset;
  mlir::Value firstRow;  ///< Of the block, in sorted order.
  Values resultIds;      ///< Sorted ids of this lane's four result rows.
  ErrorCode status = ErrorCode::Ok;
};

/// Byte offset that no buffer reaches: reads zero, drops stores.
constexpr int64_t kOutside = 0xFFFFFF00;

} // namespace moec
