// tile -> rocdl: int4 weights and the matrix instruction.
//
// Layout i4r3.v1 (one expert; K = depth, n tile = 16 channels):
//   values: an n tile takes 8 K bytes; in it 1 KiB for each 128 columns, 16
//     bytes a lane; dword d of lane l holds columns 32d + 8g .. +7 of channel
//     j. The last K % 128 columns follow, a dword for each 32 of them a lane.
//   a dword: nibble e (column 8g + e, stored as q + 8) at bit 4 (e/2) +
//     16 (e % 2), the whole rotated left by 3: pairs of columns lie 16 bits
//     apart, where bf16 numbers want them.
//   scales: bf16, an n tile takes 32 bytes a group; for each 256 columns 16
//     channels of 256/group scales; the last K % 256 columns follow alike.
//
// A masked pair or'ed with 0x4180 (16.0 in bf16) is the pair of numbers
// 16 + u, u = q + 8, exact. The 24 too much are taken away by starting each
// group's sum from -24 * sum(x), which costs two matrix instructions for all
// channels of a wave and no vector instruction.

#include "compiler/lowering/program_lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace moec {

/// Number of this tile of 16 channels among all of the expert's.
Value ProgramLowering::channelTile(int64_t projection, Value n) {
  // `projection` counts equal parts of the channels, each as wide as the
  // program's output.
  auto out = cast<moe::RowsType>(program.getArgumentTypes().back());
  return lane.add(scalar(n), lane.i32(projection * out.getCols().value() / 16));
}

/// Whether the tile of channels and column `k` exist. Tiles past the last exist
/// when channels are no multiple of the block's.
Value ProgramLowering::insideWeights(const WeightsOperand &w, Value tile, Value k) {
  auto out = cast<moe::RowsType>(program.getArgumentTypes().back());
  Value inside = lane.less(k, lane.i32(w.type.getDepth().value()));
  if (out.getCols().value() % program.getSchedule().getBlockN() == 0)
    return inside;
  Value exists = lane.less(tile, lane.i32(w.type.getChannels().value() / 16));
  return lane.bitAnd(inside, exists);
}

void ProgramLowering::lowerLoad(tile::LoadOp op) {
  const WeightsOperand &w = weights[op.getSource()];
  int64_t depth = w.type.getDepth().value();
  Value tile = channelTile(op.getProjection(), op.getN());
  Value k = scalar(op.getK());
  Value inside = insideWeights(w, tile, k);
  Value start = lane.add(lane.mul(tile, lane.i32(8 * depth)), lane.shl(k, 3));
  Values parts;
  int64_t offset = 0;
  for (Type type : loweredTypes(op.getResult().getType())) {
    int64_t dwords = cast<VectorType>(type).getNumElements();
    Value lanes = lane.add(lane.mul(laneId, lane.i32(4 * dwords)), lane.i32(offset));
    Type loaded = dwords == 1 ? lane.i32Type() : type;
    Value part = lane.bufferLoad(loaded, w.valueBuffer, guarded(inside, lanes), start,
                                 CachePolicy::NonTemporal);
    parts.push_back(dwords == 1 ? lane.pack(part) : part);
    offset += 256 * dwords;
  }
  values[op.getResult()] = parts;
}

void ProgramLowering::lowerLoadScale(tile::LoadScaleOp op) {
  const WeightsOperand &w = weights[op.getSource()];
  int64_t depth = w.type.getDepth().value(), group = w.type.getFormat().getGroup();
  int64_t groups = op.getResult().getType().getCols();
  int64_t perBlock = 256 / group;
  Value tile = channelTile(op.getProjection(), op.getN());
  // k is a multiple of 256 and so of the group.
  Value k = scalar(op.getK());
  int64_t tileBytes = 32 * tile::groupCount(depth, group);
  Value inside = insideWeights(w, tile, k);
  Value start = lane.add(lane.mul(tile, lane.i32(tileBytes)),
                         lane.mul(lane.divu(k, group), lane.i32(32)));

  Values halves; // i16, where loads are that narrow
  Values dwords;
  for (int64_t first = 0; first < groups; first += perBlock) {
    int64_t count = std::min(perBlock, groups - first);
    Value lanes = lane.add(lane.mul(channel, lane.i32(2 * count)), lane.i32(32 * first));
    bool whole = count == perBlock && perBlock >= 2;
    if (!whole) {
      for (int64_t i = 0; i < count; ++i)
        halves.push_back(lane.bufferLoad(
            lane.i16Type(), w.scaleBuffer,
            guarded(inside, lane.add(lanes, lane.i32(2 * i))), start,
            CachePolicy::Normal));
      continue;
    }
    Type type = count == 2 ? lane.i32Type() : lane.vector(count / 2, lane.i32Type());
    Value loaded = lane.bufferLoad(type, w.scaleBuffer, guarded(inside, lanes), start,
                                   CachePolicy::Normal);
    for (int64_t i = 0; i < count / 2; ++i)
      dwords.push_back(count == 2 ? loaded : lane.extract(loaded, i));
  }
  for (size_t i = 0; i < halves.size(); i += 2) {
    auto wide = [&](Value half) -> Value {
      return arith::ExtUIOp::create(builder, op.getLoc(), lane.i32Type(), half);
    };
    Value dword = wide(halves[i]);
    if (i + 1 < halves.size())
      dword = lane.bitOr(dword, lane.shl(wide(halves[i + 1]), 16));
    dwords.push_back(dword);
  }
  values[op.getResult()] = dwords;
}

/// The bf16 scale of `group` in packed dwords, as f32.
Value ProgramLowering::scaleOf(ValueRange packed, int64_t group) {
  Value dword = packed[group / 2];
  Value bits = group % 2 ? lane.bitAnd(dword, lane.i32(0xFFFF0000)) : lane.shl(dword, 16);
  return lane.bitcast(bits, lane.f32Type());
}

/// Eight values of one channel as four pairs of bf16 numbers 16 + u: pairs
/// (0,1) (2,3) (4,5) (6,7).
SmallVector<Value> ProgramLowering::unpackInt4(Value dword) {
  Value shifted[] = {dword, lane.shr(dword, 4), lane.shr(dword, 8),
                     lane.rotateRight(dword, 12)};
  Values pairs;
  for (Value bits : shifted)
    pairs.push_back(lane.bitOr(lane.bitAnd(bits, weightMask), weightMagic));
  return pairs;
}

/// acc + a . b over 32 columns; a and b are four dwords of bf16 pairs each.
Value ProgramLowering::matrix(ValueRange a, ValueRange b, Value acc) {
  int64_t dwords = instruction->kPerLane / 2;
  bool asBf16 = instruction->operandElement == "bf16";
  Type element = asBf16 ? Type(builder.getBF16Type()) : lane.i16Type();
  Type operand = lane.vector(instruction->kPerLane, element);
  for (int64_t i = 0; i < 4; i += dwords) {
    Value left = lane.bitcast(lane.pack(a.slice(i, dwords)), operand);
    Value right = lane.bitcast(lane.pack(b.slice(i, dwords)), operand);
    acc = lane.op(instruction->rocdlOp, acc.getType(),
                  {left, right, acc, lane.i32(0), lane.i32(0), lane.i32(0)})
              ->getResult(0);
  }
  return acc;
}

void ProgramLowering::lowerOffset(tile::OffsetOp op) {
  Values a = values.lookup(op.getA());
  Values constant(4, weightOffset);
  int64_t perGroup = op.getGroup() / 32;
  Values sums;
  for (int64_t first = 0; first < int64_t(a.size()); first += perGroup) {
    Value sum = lane.zeros(4);
    for (int64_t d = first; d < std::min<int64_t>(first + perGroup, a.size()); ++d) {
      Values row;
      for (int64_t i = 0; i < 4; ++i)
        row.push_back(lane.extract(a[d], i));
      sum = matrix(row, constant, sum);
    }
    sums.push_back(sum);
  }
  values[op.getResult()] = sums;
}

void ProgramLowering::lowerMma(tile::MmaOp op) {
  Values a = values.lookup(op.getA()), b = values.lookup(op.getB());
  Values scales = values.lookup(op.getScale()), offsets = values.lookup(op.getOffset());
  Value acc = scalar(op.getAcc());
  int64_t perGroup = op.getGroup() / 32;
  for (auto [group, offset] : llvm::enumerate(offsets)) {
    Value sum = offset;
    int64_t first = group * perGroup;
    for (int64_t d = first; d < std::min<int64_t>(first + perGroup, a.size()); ++d) {
      Values row;
      for (int64_t i = 0; i < 4; ++i)
        row.push_back(lane.extract(a[d], i));
      sum = matrix(row, unpackInt4(lane.extract(b[d / 4], d % 4)), sum);
    }
    acc = lane.fma(lane.splat(scaleOf(scales, group), 4), sum, acc);
  }
  values[op.getResult()] = {acc};
}

} // namespace moec
