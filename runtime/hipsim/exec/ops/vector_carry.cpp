// Vector integer operations that read or write a lane mask as a carry.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

/// D, carry = A - B - in (Subtract) or A + B + in; the carry of inactive lanes
/// is written as zero.
template <bool Subtract, bool Reverse, bool CarryIn>
void addWithCarry(Wave &w, const Step &s) {
  Row scratch[4];
  const u32 *a = row32(w, s.src[Reverse ? 1 : 0], scratch[0]);
  const u32 *b = row32(w, s.src[Reverse ? 0 : 1], scratch[1]);
  u64 in = CarryIn ? scalar64(w, s.src[2]) : 0;
  Row carryIn;
  if constexpr (CarryIn) {
    HIPSIM_LANES carryIn.lane[l] = u32(in >> l & 1);
  } else {
    broadcast(carryIn, 0);
  }
  const u32 *mask = execMask(w);
  u32 *d = w.rows[s.dst].lane;
  bool clamp = s.outputModifiers;
  u32 limit = Subtract ? 0 : ~0u;
  HIPSIM_LANES {
    u32 x = a[l], y = b[l], c = carryIn.lane[l], result, carry;
    if constexpr (Subtract) {
      result = x - y - c;
      carry = (x < y) | ((x == y) & c);
    } else {
      result = x + y + c;
      carry = (result < x) | ((result == x) & c);
    }
    scratch[2].lane[l] = 0u - carry;
    u32 value = clamp & carry ? limit : result;
    d[l] = blend(mask[l], value, d[l]);
  }
  store64(w.sgpr + s.dst2, signBits(scratch[2].lane) & exec(w));
}

/// v_mad_u64_u32 / v_mad_i64_i32: D = A * B + C on 64 bits, carry out.
template <bool Signed> void multiplyAdd64(Wave &w, const Step &s) {
  Row scratch[5];
  const u32 *a = row32(w, s.src[0], scratch[0]);
  const u32 *b = row32(w, s.src[1], scratch[1]);
  Rows2 c = row64(w, s.src[2], scratch + 2);
  const u32 *mask = execMask(w);
  u32 *lo = w.rows[s.dst].lane, *hi = w.rows[s.dst + 1].lane;
  HIPSIM_LANES {
    u64 addend = u64(c.lo[l]) | u64(c.hi[l]) << 32;
    u64 product = Signed ? u64(i64(i32(a[l])) * i64(i32(b[l])))
                         : u64(a[l]) * u64(b[l]);
    u64 sum = product + addend;
    bool carry;
    if constexpr (Signed)
      carry = i64((sum ^ product) & (sum ^ addend)) < 0;
    else
      carry = sum < product;
    scratch[4].lane[l] = 0u - u32(carry);
    lo[l] = blend(mask[l], u32(sum), lo[l]);
    hi[l] = blend(mask[l], u32(sum >> 32), hi[l]);
  }
  store64(w.sgpr + s.dst2, signBits(scratch[4].lane) & exec(w));
}

constexpr Operation clampable(Handler handler) {
  Operation operation = custom(handler);
  operation.clampHandler = handler;
  return operation;
}
constexpr Operation wide(Handler handler, ValueType addend) {
  Operation operation = custom(handler);
  operation.type[2] = addend;
  return operation;
}

const Entry entries[] = {
    {Op::V_ADD_CO_U32, clampable(&addWithCarry<false, false, false>)},
    {Op::V_SUB_CO_U32, clampable(&addWithCarry<true, false, false>)},
    {Op::V_SUBREV_CO_U32, clampable(&addWithCarry<true, true, false>)},
    {Op::V_ADDC_CO_U32, clampable(&addWithCarry<false, false, true>)},
    {Op::V_SUBB_CO_U32, clampable(&addWithCarry<true, false, true>)},
    {Op::V_SUBBREV_CO_U32, clampable(&addWithCarry<true, true, true>)},
    {Op::V_MAD_U64_U32, wide(&multiplyAdd64<false>, ValueType::U64)},
    {Op::V_MAD_I64_I32, wide(&multiplyAdd64<true>, ValueType::I64)},
};

} // namespace

void addVectorCarry(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
