// tile -> rocdl: gathered rows, the LDS ring, and results.
//
// A tile of 16 rows x C columns lies in LDS in fragment order: 1 KiB for each
// 32 columns, in it 64 chunks of 16 bytes. Chunk c (8 columns) of row t is at
// slot (c % 4) * 16 + (t ^ (c % 8)) of block c / 4: the 16 lanes that read one
// quarter find 16 different slots, and threads that write consecutive chunks
// of a row hit different banks.

#include "compiler/lowering/program_lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace moec {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Sorted ids are slot << 24 | token; a pad's token is the number of tokens.
Value ProgramLowering::isRow(Value id) {
  Value token = lane.bitAnd(id, lane.i32(0xFFFFFF));
  return lane.less(token, routing->tokens);
}

Value ProgramLowering::rowOf(Value id, moe::RowSpace space) {
  Value token = lane.bitAnd(id, lane.i32(0xFFFFFF));
  if (space == moe::RowSpace::token)
    return token;
  Value slot = lane.shr(id, 24);
  return lane.add(lane.mul(token, lane.i32(routing->type.getSlots().value())), slot);
}

/// Byte offset of byte `column` in the row of `id`, kOutside for a pad. (The
/// column is added before the choice: kOutside plus anything would wrap.)
Value ProgramLowering::rowOffset(Value id, const RowsOperand &operand, Value column) {
  Value row = rowOf(id, operand.type.getSpace());
  Value offset = lane.add(lane.mul(row, lane.i32(operand.rowBytes)), column);
  return lane.select(isRow(id), offset, lane.i32(kOutside));
}

void ProgramLowering::prepareStaging(int64_t cols) {
  if (stagings.contains(cols))
    return;
  Staging &staging = stagings[cols];
  int64_t perRow = cols / 8;
  staging.chunks = 16 * perRow;
  for (int64_t first = 0; first < staging.chunks; first += threads()) {
    Value q = lane.add(thread, lane.i32(first));
    Value t = lane.divu(q, perRow), c = lane.remu(q, perRow);
    // A thread without a chunk reads a row that exists and writes nothing.
    Value row = first + threads() <= staging.chunks
                    ? t
                    : lane.select(lane.less(t, lane.i32(16)), t, lane.i32(0));
    Value sorted = lane.add(firstRow, row);
    staging.rowOfChunk.push_back(
        lane.load(lane.i32Type(),
                  lane.byteOffset(routing->sortedIds, lane.shl(sorted, 2)), 4));
    staging.column.push_back(lane.shl(c, 4));
    Value slot = lane.add(lane.shl(lane.bitAnd(c, lane.i32(3)), 4),
                          lane.bitXor(t, lane.bitAnd(c, lane.i32(7))));
    staging.ldsOffset.push_back(
        lane.add(lane.shl(lane.shr(c, 2), 10), lane.shl(slot, 4)));
  }
}

void ProgramLowering::lowerFetch(tile::FetchOp op) {
  const RowsOperand &source = rows[op.getSource()];
  const Staging &staging = stagings[op.getResult().getType().getCols()];
  Value k = scalar(op.getK());
  Value inside = lane.less(k, lane.i32(source.type.getCols().value()));
  Values chunks;
  for (auto [id, column] : llvm::zip(staging.rowOfChunk, staging.column))
    chunks.push_back(lane.bufferLoad(lane.vector(4, lane.i32Type()), source.buffer,
                                     guarded(inside, rowOffset(id, source, column)),
                                     lane.shl(k, 1),
                                     CachePolicy::Normal));
  values[op.getResult()] = chunks;
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

/// Start of buffer `slot` of the ring `buffer`.
Value ProgramLowering::ldsTile(Value buffer, Value slot) {
  int64_t bytes = cast<tile::LdsType>(buffer.getType()).getTileBytes();
  return lane.byteOffset(scalar(buffer), lane.mul(scalar(slot), lane.i32(bytes)));
}

void ProgramLowering::lowerPut(tile::PutOp op) {
  const Staging &staging = stagings[op.getValue().getType().getCols()];
  Value tile = ldsTile(op.getBuffer(), op.getSlot());
  Values chunks = values.lookup(op.getValue());
  for (size_t i = 0; i < chunks.size(); ++i) {
    Value pointer = lane.byteOffset(tile, staging.ldsOffset[i]);
    int64_t first = i * threads();
    if (first + threads() <= staging.chunks) {
      lane.store(chunks[i], pointer, 16);
      continue;
    }
    Value mine = lane.less(thread, lane.i32(staging.chunks - first));
    auto guard = scf::IfOp::create(builder, op.getLoc(), mine, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    lane.store(chunks[i], pointer, 16);
  }
}

void ProgramLowering::lowerRead(tile::ReadOp op) {
  Value tile = ldsTile(op.getBuffer(), op.getSlot());
  // This lane's chunk of 32-column block d is c = 4d + g, so c % 8 is g or
  // g + 4: two bases, everything else is a constant.
  Value bases[2];
  for (int64_t odd : {0, 1}) {
    Value turn = lane.bitXor(channel, lane.add(quarter, lane.i32(4 * odd)));
    Value slot = lane.add(lane.shl(quarter, 4), turn);
    bases[odd] = lane.byteOffset(tile, lane.shl(slot, 4));
  }
  Values parts;
  for (int64_t d = 0; d < op.getResult().getType().getCols() / 32; ++d)
    parts.push_back(lane.load(lane.vector(4, lane.i32Type()),
                              lane.byteOffset(bases[d % 2], d * 1024), 16));
  values[op.getResult()] = parts;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void ProgramLowering::lowerRouterWeight(tile::RouterWeightOp op) {
  int64_t slots = routing->type.getSlots().value();
  Value bytes = arith::MulIOp::create(builder, op.getLoc(),
                                      lane.widen(routing->tokens), lane.i64(4 * slots));
  Value buffer = lane.buffer(routing->routerWeights, bytes);
  Values elements;
  for (Value id : resultIds) {
    Value offset = lane.select(
        isRow(id), lane.shl(rowOf(id, moe::RowSpace::pair), 2), lane.i32(kOutside));
    elements.push_back(lane.bufferLoad(lane.f32Type(), buffer, offset, lane.i32(0),
                                       CachePolicy::Normal));
  }
  values[op.getResult()] = {lane.pack(elements)};
}

void ProgramLowering::lowerMap(tile::MapOp op) {
  Values elements;
  for (int64_t r = 0; r < 4; ++r) {
    IRMapping mapping;
    for (auto [argument, operand] :
         llvm::zip(op.getBody().getArguments(), op.getOperands()))
      mapping.map(argument, lane.extract(scalar(operand), r));
    for (Operation &inner : op.getBody().front().without_terminator())
      builder.clone(inner, mapping);
    auto yield = cast<tile::YieldOp>(op.getBody().front().getTerminator());
    elements.push_back(mapping.lookup(yield.getValue()));
  }
  values[op.getResult()] = {lane.pack(elements)};
}

void ProgramLowering::lowerStore(tile::StoreOp op) {
  const RowsOperand &dest = rows[op.getDest()];
  int64_t cols = dest.type.getCols().value();
  int64_t elementBytes = dest.type.getElement().getIntOrFloatBitWidth() / 8;
  Value n = lane.add(lane.shl(scalar(op.getN()), 4), channel);
  Value column = lane.mul(n, lane.i32(elementBytes));
  // Tiles past the last channel exist when channels are no multiple of the
  // block's; their columns must not run into the next row.
  bool mayOverrun = cols % program.getSchedule().getBlockN() != 0;
  Value inside = mayOverrun ? lane.less(n, lane.i32(cols)) : Value();
  for (auto [r, id] : llvm::enumerate(resultIds)) {
    Value element = lane.extract(scalar(op.getValue()), r);
    if (elementBytes == 2) {
      Value rounded = arith::TruncFOp::create(builder, op.getLoc(),
                                              dest.type.getElement(), element);
      element = lane.bitcast(rounded, lane.i16Type());
    }
    Value offset = rowOffset(id, dest, column);
    if (inside)
      offset = lane.select(inside, offset, lane.i32(kOutside));
    lane.bufferStore(element, dest.buffer, offset);
  }
}

} // namespace moec
