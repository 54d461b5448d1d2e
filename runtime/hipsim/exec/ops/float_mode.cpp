// MODE's rounding and denormal fields, for programs that use others than
// round-to-nearest with denormals on.
//
// Only the steps of such programs are wrapped (Program::decodeText), so that
// all others pay nothing. Denormals are flushed here, on copies of the sources
// and on the result; rounding is the host's (MXCSR). What neither gives is
// refused by name.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// Fields of MODE: f32 first, f64 and f16 share the second.
HIPSIM_INLINE u32 roundingOf(u32 mode, bool single) { return mode >> (single ? 0 : 2) & 3; }
HIPSIM_INLINE u32 denormalsOf(u32 mode, bool single) { return mode >> (single ? 4 : 6) & 3; }
constexpr u32 keepInputs = 1, keepOutputs = 2;

HIPSIM_INLINE bool isSingle(NumberType t) {
  return t == NumberType::F32 || t == NumberType::PackedF32;
}
HIPSIM_INLINE bool hasTwoRows(NumberType t) {
  return t == NumberType::F64 || t == NumberType::PackedF32;
}

HIPSIM_INLINE u32 flushSingle(u32 v) { return v & 0x7f800000u ? v : v & 0x80000000u; }
HIPSIM_INLINE u32 flushHalf(u32 v) { return v & 0x7c00u ? v : v & 0x8000u; }
HIPSIM_INLINE u32 flushHalves(u32 v) {
  return flushHalf(v & 0xffff) | flushHalf(v >> 16) << 16;
}
/// One lane of a value of type t; `hi` is its second row.
HIPSIM_INLINE void flushLane(NumberType t, u32 &lo, u32 &hi) {
  switch (t) {
  case NumberType::F32: lo = flushSingle(lo); break;
  case NumberType::PackedF32: lo = flushSingle(lo); hi = flushSingle(hi); break;
  case NumberType::F64:
    if (!(hi & 0x7ff00000u))
      lo = 0, hi &= 0x80000000u;
    break;
  case NumberType::F16:
  case NumberType::PackedF16: lo = flushHalves(lo); break;
  case NumberType::Other: break;
  }
}

void flushSource(Wave &w, Source &source, NumberType t, Row *copy) {
  Row scratch[2];
  Rows2 rows = {};
  if (hasTwoRows(t))
    rows = row64(w, source, scratch);
  else
    rows.lo = rows.hi = row32(w, source, scratch[0]);
  for (u32 l = 0; l < laneCount; ++l) {
    u32 lo = rows.lo[l], hi = rows.hi[l];
    flushLane(t, lo, hi);
    copy[0].lane[l] = lo;
    copy[1].lane[l] = hi;
  }
  source.kind = SourceKind::Constant;
  source.row = copy;
}

/// The half of a 16-bit result that was not written keeps its bits.
void flushResult(Wave &w, const Step &s, NumberType t) {
  u32 *lo = w.rows[s.dst].lane;
  u32 *hi = hasTwoRows(t) ? w.rows[s.dst + 1].lane : lo;
  u64 e = exec(w);
  u32 half = s.opSel & 8 ? 0xffff0000u : 0xffffu;
  for (u32 l = 0; l < laneCount; ++l) {
    if (!(e >> l & 1))
      continue;
    u32 a = lo[l], b = hi[l];
    flushLane(t, a, b);
    if (hasTwoRows(t))
      hi[l] = b;
    lo[l] = t == NumberType::F16 ? blend(half, a, lo[l]) : a;
  }
}

/// The operations whose result depends on the rounding mode; the others are
/// exact, round in a way of their own, or are refused.
bool isRounded(Op op) {
  switch (op) {
  case Op::V_ADD_F32: case Op::V_SUB_F32: case Op::V_SUBREV_F32:
  case Op::V_MUL_F32: case Op::V_MUL_LEGACY_F32: case Op::V_FMA_F32:
  case Op::V_FMAC_F32: case Op::V_FMAAK_F32: case Op::V_FMAMK_F32:
  case Op::V_LDEXP_F32: case Op::V_PK_ADD_F32: case Op::V_PK_MUL_F32:
  case Op::V_PK_FMA_F32: case Op::V_CVT_F32_F64: case Op::V_CVT_F32_I32:
  case Op::V_CVT_F32_U32: case Op::V_ADD_F64: case Op::V_MUL_F64:
  case Op::V_FMA_F64: case Op::V_FMAC_F64: case Op::V_LDEXP_F64:
  case Op::V_ADD_F16: case Op::V_SUB_F16: case Op::V_SUBREV_F16:
  case Op::V_MUL_F16: case Op::V_LDEXP_F16: case Op::V_PK_ADD_F16:
  case Op::V_PK_MUL_F16: case Op::V_CVT_F16_F32: case Op::V_CVT_F16_U16:
  case Op::V_CVT_F16_I16:
    return true;
  default:
    return false;
  }
}

/// Computed by formulas that hold only when the host rounds to nearest.
bool needsNearest(Op op) {
  switch (op) {
  case Op::V_FMA_F16: case Op::V_PK_FMA_F16: case Op::V_DIV_FMAS_F32:
  case Op::V_DIV_FMAS_F64: case Op::V_FMA_MIX_F32: case Op::V_FMA_MIXLO_F16:
  case Op::V_FMA_MIXHI_F16:
    return true;
  default:
    return false;
  }
}
/// These see denormals of both widths, or (f32 MFMA) follow MODE in the matrix
/// unit.
bool needsDenormals(Op op) {
  switch (op) {
  case Op::V_FMA_MIX_F32: case Op::V_FMA_MIXLO_F16: case Op::V_FMA_MIXHI_F16:
  case Op::V_MFMA_F32_16X16X4_F32: case Op::V_MFMA_F32_32X32X2_F32:
  case Op::V_MFMA_F32_32X32X1_2B_F32: case Op::V_MFMA_F32_16X16X1_4B_F32:
  case Op::V_MFMA_F32_4X4X1_16B_F32:
    return true;
  default:
    return false;
  }
}
/// Without F16C the compiler's conversion always rounds to nearest.
constexpr bool roundsHalves =
#ifdef __F16C__
    true;
#else
    false;
#endif

bool needsFloatMode(Op op, const Operation &o) {
  return o.result != NumberType::Other || o.number[0] != NumberType::Other ||
         o.number[1] != NumberType::Other || o.number[2] != NumberType::Other ||
         needsNearest(op) || needsDenormals(op);
}

/// Runs the handler with the host rounding as `rounding` says.
void runRounded(Wave &w, const Step &s, Handler handler, u32 rounding) {
  constexpr u32 hostRounding[] = {0, 2, 1, 3}; // Nearest, up, down, to zero.
  constexpr u32 field = 13;
  u32 old = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((old & ~(3u << field)) | hostRounding[rounding] << field);
  handler(w, s);
  __builtin_ia32_ldmxcsr(old);
}

void withFloatMode(Wave &w, const Step &s) {
  const Operation &operation = *s.operation;
  u32 mode = w.mode & 0xff;
  if (mode == defaultFloatMode) {
    operation.handler(w, s);
    return;
  }
  Op op = s.instruction->op;
  bool single = isSingle(operation.result);
  bool directed = needsNearest(op) ? mode & 15
                                   : isRounded(op) && roundingOf(mode, single);
  bool halves = operation.result == NumberType::F16 || operation.result == NumberType::PackedF16;
  if (directed && (needsNearest(op) || (halves && !roundsHalves))) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "this instruction in another rounding mode than "
               "round-to-nearest is not modelled");
    return;
  }
  if (needsDenormals(op) && (mode & 0xf0) != 0xf0) {
    raiseFault(w, s, FaultKind::IllegalInstruction, -1,
               "this instruction with denormals flushed is not modelled");
    return;
  }
  Step inner = s;
  Row copies[3][2];
  for (u32 i = 0; i < 3; ++i) {
    NumberType t = operation.number[i];
    if (t != NumberType::Other && s.src[i].kind != SourceKind::None &&
        !(denormalsOf(mode, isSingle(t)) & keepInputs))
      flushSource(w, inner.src[i], t, copies[i]);
  }
  if (directed)
    runRounded(w, inner, operation.handler, roundingOf(mode, single));
  else
    operation.handler(w, inner);
  if (operation.result != NumberType::Other &&
      !(denormalsOf(mode, single) & keepOutputs))
    flushResult(w, s, operation.result);
}

} // namespace

void addFloatMode(OperationTable &table) {
  table.floatMode = &withFloatMode;
  table.needsFloatMode = &needsFloatMode;
}

} // namespace hipsim::HIPSIM_SIMD
