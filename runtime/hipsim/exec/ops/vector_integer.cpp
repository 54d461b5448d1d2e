// Vector integer and bitwise operations on 32 and 64 bits, moves and selects.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

constexpr u32 low24(u32 x) { return x & 0xffffff; }
constexpr i32 signed24(u32 x) { return i32(x << 8) >> 8; }
constexpr u32 minU(u32 a, u32 b) { return a < b ? a : b; }
constexpr u32 maxU(u32 a, u32 b) { return a > b ? a : b; }
constexpr i32 minI(i32 a, i32 b) { return a < b ? a : b; }
constexpr i32 maxI(i32 a, i32 b) { return a > b ? a : b; }

constexpr u32 extract(u32 v, u32 offset, u32 width) {
  offset &= 31;
  width &= 31;
  return (v >> offset) & ((1u << width) - 1);
}
constexpr i32 extractSigned(i32 v, u32 offset, u32 width) {
  offset &= 31;
  width &= 31;
  u32 field = u32(v >> offset);
  u32 up = (32 - width) & 31; // Width 0 is selected below.
  u32 shifted = offset + width >= 32 ? field : u32(i32(field << up) >> up);
  return width == 0 ? 0 : i32(shifted);
}

/// One byte of v_perm_b32: `both` = {S0, S1}.
constexpr u32 permuteByte(u64 both, u32 select) {
  if (select < 8)
    return u32(both >> (8 * select)) & 0xff;
  if (select < 12) { // Sign of byte 1, 3, 5, 7.
    u32 bit = 15 + 16 * (select - 8);
    return (both >> bit & 1) ? 0xff : 0;
  }
  return select == 12 ? 0 : 0xff;
}
constexpr u32 permute(u32 a, u32 b, u32 selector) {
  u64 both = u64(a) << 32 | b;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i)
    result |= permuteByte(both, selector >> (8 * i) & 0xff) << (8 * i);
  return result;
}

constexpr u32 sumOfDifferences(u32 a, u32 b, u32 sum) {
  for (u32 i = 0; i < 4; ++i) {
    u32 x = a >> (8 * i) & 0xff, y = b >> (8 * i) & 0xff;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}
constexpr u32 sumOfDifferences16(u32 a, u32 b, u32 sum) {
  for (u32 i = 0; i < 2; ++i) {
    u32 x = a >> (16 * i) & 0xffff, y = b >> (16 * i) & 0xffff;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}
constexpr u32 leadingZeros(u32 a) { return a ? u32(__builtin_clz(a)) : ~0u; }
constexpr u32 trailingZeros(u32 a) { return a ? u32(__builtin_ctz(a)) : ~0u; }
constexpr u32 leadingSign(i32 a) {
  return leadingZeros(u32(a < 0 ? ~a : a));
}
constexpr u32 saturateAdd(u32 a, u32 b) {
  u32 sum = a + b;
  return sum < a ? ~0u : sum;
}
constexpr u32 saturateSub(u32 a, u32 b) { return a < b ? 0 : a - b; }
constexpr i32 clampI(i64 v) {
  i64 low = v > -2147483648ll ? v : -2147483648ll;
  return i32(low < 2147483647ll ? low : 2147483647ll);
}

void conditionalSelect(Wave &w, const Step &s) {
  Row scratch[3];
  u64 select = scalar64(w, s.src[2]);
  // Float modifiers are legal here and act on the sign bit.
  const u32 *a = View<float>::fetch(w, s, 0, scratch).row;
  const u32 *b = View<float>::fetch(w, s, 1, scratch + 1).row;
  HIPSIM_LANES scratch[2].lane[l] = 0u - u32(select >> l & 1);
  const u32 *m = scratch[2].lane;
  writeLanes<u32>(w, s, [&](u32 l) { return blend(m[l], b[l], a[l]); });
}

void bitCountBelow(Wave &w, const Step &s, u32 firstLane) {
  Row scratch[3];
  const u32 *a = row32(w, s.src[0], scratch[0]);
  const u32 *b = row32(w, s.src[1], scratch[1]);
  for (u32 l = 0; l < laneCount; ++l) {
    i32 below = i32(l) - i32(firstLane);
    scratch[2].lane[l] = below <= 0 ? 0 : below >= 32 ? ~0u : (1u << below) - 1;
  }
  const u32 *m = scratch[2].lane;
  writeLanes<u32>(w, s, [&](u32 l) {
    return u32(__builtin_popcount(a[l] & m[l])) + b[l];
  });
}
void maskedCountLow(Wave &w, const Step &s) { bitCountBelow(w, s, 0); }
void maskedCountHigh(Wave &w, const Step &s) { bitCountBelow(w, s, 32); }

/// v_bitop3_b32: bit (a*4 + b*2 + c) of the truth table.
void bitOperation3(Wave &w, const Step &s) {
  Row scratch[3];
  const u32 *a = row32(w, s.src[0], scratch[0]);
  const u32 *b = row32(w, s.src[1], scratch[1]);
  const u32 *c = row32(w, s.src[2], scratch[2]);
  u32 term[8];
  for (u32 i = 0; i < 8; ++i)
    term[i] = 0u - (u32(s.instruction->imm) >> i & 1);
  writeLanes<u32>(w, s, [&](u32 l) {
    u32 x = a[l], y = b[l], z = c[l];
    return (~x & ((~y & ((~z & term[0]) | (z & term[1]))) |
                  (y & ((~z & term[2]) | (z & term[3]))))) |
           (x & ((~y & ((~z & term[4]) | (z & term[5]))) |
                 (y & ((~z & term[6]) | (z & term[7])))));
  });
}

void swapRows(Wave &w, const Step &s) {
  const u32 *mask = execMask(w);
  u32 *a = w.rows[s.dst].lane, *b = w.rows[s.src[0].index].lane;
  HIPSIM_LANES {
    u32 x = a[l], y = b[l];
    a[l] = blend(mask[l], y, x);
    b[l] = blend(mask[l], x, y);
  }
}
void nothing(Wave &, const Step &) {}

const Entry entries[] = {
    {Op::V_NOP, custom(&nothing)},
    {Op::V_MOV_B32, lanewise<[](u32 a) { return a; }>()},
    {Op::V_MOV_B64, lanewise<[](u64 a) { return a; }>()},
    {Op::V_ACCVGPR_READ_B32, lanewise<[](u32 a) { return a; }>()},
    {Op::V_ACCVGPR_WRITE_B32, lanewise<[](u32 a) { return a; }>()},
    {Op::V_ACCVGPR_MOV_B32, lanewise<[](u32 a) { return a; }>()},
    {Op::V_SWAP_B32, custom(&swapRows)},
    {Op::V_CNDMASK_B32, custom(&conditionalSelect)},

    {Op::V_ADD_U32, saturating<[](u32 a, u32 b) { return a + b; },
                               [](u32 a, u32 b) { return saturateAdd(a, b); }>()},
    {Op::V_SUB_U32, saturating<[](u32 a, u32 b) { return a - b; },
                               [](u32 a, u32 b) { return saturateSub(a, b); }>()},
    {Op::V_SUBREV_U32, saturating<[](u32 a, u32 b) { return b - a; },
                                  [](u32 a, u32 b) { return saturateSub(b, a); }>()},
    {Op::V_ADD_I32, saturating<[](u32 a, u32 b) { return a + b; },
                               [](i32 a, i32 b) { return clampI(i64(a) + b); }>()},
    {Op::V_SUB_I32, saturating<[](u32 a, u32 b) { return a - b; },
                               [](i32 a, i32 b) { return clampI(i64(a) - b); }>()},
    {Op::V_AND_B32, lanewise<[](u32 a, u32 b) { return a & b; }>()},
    {Op::V_OR_B32, lanewise<[](u32 a, u32 b) { return a | b; }>()},
    {Op::V_XOR_B32, lanewise<[](u32 a, u32 b) { return a ^ b; }>()},
    {Op::V_XNOR_B32, lanewise<[](u32 a, u32 b) { return ~(a ^ b); }>()},
    {Op::V_NOT_B32, lanewise<[](u32 a) { return ~a; }>()},
    {Op::V_LSHLREV_B32, lanewise<[](u32 a, u32 b) { return b << (a & 31); }>()},
    {Op::V_LSHRREV_B32, lanewise<[](u32 a, u32 b) { return b >> (a & 31); }>()},
    {Op::V_ASHRREV_I32, lanewise<[](u32 a, i32 b) { return b >> (a & 31); }>()},
    {Op::V_LSHLREV_B64, lanewise<[](u32 a, u64 b) { return b << (a & 63); }>()},
    {Op::V_LSHRREV_B64, lanewise<[](u32 a, u64 b) { return b >> (a & 63); }>()},
    {Op::V_ASHRREV_I64, lanewise<[](u32 a, i64 b) { return b >> (a & 63); }>()},
    {Op::V_MIN_I32, lanewise<[](i32 a, i32 b) { return minI(a, b); }>()},
    {Op::V_MAX_I32, lanewise<[](i32 a, i32 b) { return maxI(a, b); }>()},
    {Op::V_MIN_U32, lanewise<[](u32 a, u32 b) { return minU(a, b); }>()},
    {Op::V_MAX_U32, lanewise<[](u32 a, u32 b) { return maxU(a, b); }>()},
    {Op::V_MIN3_I32, lanewise<[](i32 a, i32 b, i32 c) { return minI(minI(a, b), c); }>()},
    {Op::V_MAX3_I32, lanewise<[](i32 a, i32 b, i32 c) { return maxI(maxI(a, b), c); }>()},
    {Op::V_MIN3_U32, lanewise<[](u32 a, u32 b, u32 c) { return minU(minU(a, b), c); }>()},
    {Op::V_MAX3_U32, lanewise<[](u32 a, u32 b, u32 c) { return maxU(maxU(a, b), c); }>()},
    {Op::V_MED3_I32, lanewise<[](i32 a, i32 b, i32 c) {
       return maxI(minI(a, b), minI(maxI(a, b), c)); }>()},
    {Op::V_MED3_U32, lanewise<[](u32 a, u32 b, u32 c) {
       return maxU(minU(a, b), minU(maxU(a, b), c)); }>()},

    {Op::V_MUL_LO_U32, lanewise<[](u32 a, u32 b) { return a * b; }>()},
    {Op::V_MUL_HI_U32, lanewise<[](u32 a, u32 b) { return u32(u64(a) * b >> 32); }>()},
    {Op::V_MUL_HI_I32, lanewise<[](i32 a, i32 b) { return u32(u64(i64(a) * b) >> 32); }>()},
    {Op::V_MUL_U32_U24, lanewise<[](u32 a, u32 b) { return low24(a) * low24(b); }>()},
    {Op::V_MUL_HI_U32_U24, lanewise<[](u32 a, u32 b) {
       return u32(u64(low24(a)) * low24(b) >> 32); }>()},
    {Op::V_MUL_I32_I24, lanewise<[](u32 a, u32 b) {
       return u32(signed24(a)) * u32(signed24(b)); }>()},
    {Op::V_MUL_HI_I32_I24, lanewise<[](u32 a, u32 b) {
       return u32(u64(i64(signed24(a)) * signed24(b)) >> 32); }>()},
    {Op::V_MAD_U32_U24, lanewise<[](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; }>()},
    {Op::V_MAD_I32_I24, lanewise<[](u32 a, u32 b, u32 c) {
       return u32(signed24(a)) * u32(signed24(b)) + c; }>()},
    {Op::V_MAD_U32_U16, lanewise<[](u16 a, u16 b, u32 c) { return u32(a) * b + c; }>()},
    {Op::V_MAD_I32_I16, lanewise<[](i16 a, i16 b, u32 c) { return u32(i32(a) * b) + c; }>()},

    {Op::V_ADD3_U32, lanewise<[](u32 a, u32 b, u32 c) { return a + b + c; }>()},
    {Op::V_LSHL_ADD_U32, lanewise<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>()},
    {Op::V_ADD_LSHL_U32, lanewise<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>()},
    {Op::V_LSHL_OR_B32, lanewise<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }>()},
    {Op::V_AND_OR_B32, lanewise<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>()},
    {Op::V_OR3_B32, lanewise<[](u32 a, u32 b, u32 c) { return a | b | c; }>()},
    {Op::V_XAD_U32, lanewise<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>()},
    {Op::V_LSHL_ADD_U64, lanewise<[](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }>()},
    {Op::V_BFE_U32, lanewise<[](u32 a, u32 b, u32 c) { return extract(a, b, c); }>()},
    {Op::V_BFE_I32, lanewise<[](i32 a, u32 b, u32 c) { return extractSigned(a, b, c); }>()},
    {Op::V_BFI_B32, lanewise<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>()},
    {Op::V_BFM_B32, lanewise<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>()},
    {Op::V_BFREV_B32, lanewise<[](u32 a) { return u32(__builtin_bitreverse32(a)); }>()},
    {Op::V_ALIGNBIT_B32, lanewise<[](u32 a, u32 b, u32 c) {
       return u32((u64(a) << 32 | b) >> (c & 31)); }>()},
    {Op::V_ALIGNBYTE_B32, lanewise<[](u32 a, u32 b, u32 c) {
       return u32((u64(a) << 32 | b) >> (8 * (c & 3))); }>()},
    {Op::V_PERM_B32, lanewise<[](u32 a, u32 b, u32 c) { return permute(a, b, c); }>()},
    {Op::V_BITOP3_B32, custom(&bitOperation3)},
    {Op::V_SAD_U8, lanewise<[](u32 a, u32 b, u32 c) { return sumOfDifferences(a, b, c); }>()},
    {Op::V_SAD_HI_U8, lanewise<[](u32 a, u32 b, u32 c) {
       return (sumOfDifferences(a, b, 0) << 16) + c; }>()},
    {Op::V_SAD_U16, lanewise<[](u32 a, u32 b, u32 c) { return sumOfDifferences16(a, b, c); }>()},
    {Op::V_SAD_U32, lanewise<[](u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }>()},
    {Op::V_FFBH_U32, lanewise<[](u32 a) { return leadingZeros(a); }>()},
    {Op::V_FFBL_B32, lanewise<[](u32 a) { return trailingZeros(a); }>()},
    {Op::V_FFBH_I32, lanewise<[](i32 a) { return leadingSign(a); }>()},
    {Op::V_BCNT_U32_B32, lanewise<[](u32 a, u32 b) { return u32(__builtin_popcount(a)) + b; }>()},
    {Op::V_MBCNT_LO_U32_B32, custom(&maskedCountLow)},
    {Op::V_MBCNT_HI_U32_B32, custom(&maskedCountHigh)},
};

} // namespace

void addVectorInteger(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
