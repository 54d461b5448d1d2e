// Scalar ALU: SOP1, SOP2, SOPC, SOPK.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

namespace {

template <class T> HIPSIM_INLINE T read(const Wave &w, const Source &s) {
  if constexpr (sizeof(T) == 8)
    return bits<T>(scalar64(w, s));
  else
    return bits<T>(scalar32(w, s));
}
template <class T> HIPSIM_INLINE void write(Wave &w, u32 index, T value) {
  if constexpr (sizeof(T) == 8)
    store64(w.sgpr + index, bits<u64>(value));
  else
    w.sgpr[index] = bits<u32>(value);
}

/// How an operation sets SCC.
enum class Scc { Keep, NotZero };

template <auto F, Scc How> void unary(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  auto result = F(read<typename S::First>(w, s.src[0]));
  write(w, s.dst, result);
  if constexpr (How == Scc::NotZero)
    w.scc = result != 0;
}
template <auto F, Scc How> void binary(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  auto result = F(read<typename S::First>(w, s.src[0]),
                  read<typename S::Second>(w, s.src[1]));
  write(w, s.dst, result);
  if constexpr (How == Scc::NotZero)
    w.scc = result != 0;
}
template <auto F> void compare(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  w.scc = F(read<typename S::First>(w, s.src[0]),
            read<typename S::Second>(w, s.src[1]));
}
/// F(a, b, scc&) computes the carry itself.
template <auto F> void carrying(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  u32 scc = w.scc;
  auto result = F(read<typename S::First>(w, s.src[0]),
                  read<typename S::Second>(w, s.src[1]), scc);
  w.scc = scc;
  write(w, s.dst, result);
}
/// Compares the register with the 16-bit constant.
template <auto F> void compareK(Wave &w, const Step &s) {
  using S = SignatureOf<F>;
  using T = typename S::First;
  i32 imm = s.instruction->imm;
  T constant = __is_same(T, i32) ? T(i32(i16(imm))) : T(u32(u16(imm)));
  w.scc = F(read<T>(w, s.src[0]), constant);
}

/// dst = old EXEC; EXEC = F(source, EXEC); SCC = EXEC != 0.
template <auto F> void saveExec(Wave &w, const Step &s) {
  u64 old = exec(w), source = scalar64(w, s.src[0]);
  u64 result = F(source, old);
  store64(w.sgpr + s.dst, old);
  store64(w.sgpr + sgprExec, result);
  w.scc = result != 0;
}
/// dst = EXEC = F(source, EXEC).
template <auto F> void writeExec(Wave &w, const Step &s) {
  u64 result = F(scalar64(w, s.src[0]), exec(w));
  store64(w.sgpr + sgprExec, result);
  store64(w.sgpr + s.dst, result);
  w.scc = result != 0;
}

template <class T> void conditionalMove(Wave &w, const Step &s) {
  if (w.scc)
    write(w, s.dst, read<T>(w, s.src[0]));
}
template <class T> void select(Wave &w, const Step &s) {
  write(w, s.dst, w.scc ? read<T>(w, s.src[0]) : read<T>(w, s.src[1]));
}
void moveK(Wave &w, const Step &s) {
  w.sgpr[s.dst] = u32(i32(i16(s.instruction->imm)));
}
void conditionalMoveK(Wave &w, const Step &s) {
  if (w.scc)
    moveK(w, s);
}
void addK(Wave &w, const Step &s) {
  i32 result;
  w.scc = __builtin_add_overflow(i32(w.sgpr[s.dst]),
                                 i32(i16(s.instruction->imm)), &result);
  w.sgpr[s.dst] = u32(result);
}
void multiplyK(Wave &w, const Step &s) {
  w.sgpr[s.dst] *= u32(i32(i16(s.instruction->imm)));
}
template <class T, bool Set> void setBit(Wave &w, const Step &s) {
  T old;
  if constexpr (sizeof(T) == 8)
    old = load64(w.sgpr + s.dst);
  else
    old = w.sgpr[s.dst];
  T bit = T(1) << (scalar32(w, s.src[0]) & (sizeof(T) * 8 - 1));
  write(w, s.dst, Set ? T(old | bit) : T(old & ~bit));
}
void absolute(Wave &w, const Step &s) {
  i32 value = i32(scalar32(w, s.src[0]));
  u32 result = value < 0 ? 0u - u32(value) : u32(value);
  w.sgpr[s.dst] = result;
  w.scc = result != 0;
}
void multiplyHighU(Wave &w, const Step &s) {
  w.sgpr[s.dst] =
      u32(u64(scalar32(w, s.src[0])) * scalar32(w, s.src[1]) >> 32);
}
void multiplyHighI(Wave &w, const Step &s) {
  w.sgpr[s.dst] = u32(u64(i64(i32(scalar32(w, s.src[0]))) *
                          i64(i32(scalar32(w, s.src[1])))) >>
                      32);
}

constexpr u32 lowBits(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; }
constexpr u64 lowBits64(u32 count) {
  return count >= 64 ? ~0ull : (1ull << count) - 1;
}
constexpr u32 reverse32(u32 x) { return __builtin_bitreverse32(x); }

template <class T, auto F> void minMax(Wave &w, const Step &s) {
  T a = read<T>(w, s.src[0]), b = read<T>(w, s.src[1]);
  w.scc = F(a, b);
  write(w, s.dst, w.scc ? a : b);
}

#define HIPSIM_BITWISE(NAME, EXPR)                                             \
  {Op::S_##NAME##_B32,                                                         \
   custom(&binary<[](u32 a, u32 b) { return u32(EXPR); }, Scc::NotZero>,       \
          StepClass::Scalar)},                                                 \
  {                                                                            \
    Op::S_##NAME##_B64,                                                        \
        custom(&binary<[](u64 a, u64 b) { return u64(EXPR); }, Scc::NotZero>,  \
               StepClass::Scalar, ValueType::U64)                              \
  }
#define HIPSIM_SAVEEXEC(NAME, EXPR)                                            \
  {                                                                            \
    Op::S_##NAME##_SAVEEXEC_B64,                                               \
        custom(&saveExec<[](u64 s, u64 e) { return u64(EXPR); }>,              \
               StepClass::Scalar, ValueType::U64)                              \
  }
#define HIPSIM_COMPARES(NAME, OP)                                              \
  {Op::S_CMP_##NAME##_I32,                                                     \
   custom(&compare<[](i32 a, i32 b) { return a OP b; }>, StepClass::Scalar)},  \
  {Op::S_CMP_##NAME##_U32,                                                     \
   custom(&compare<[](u32 a, u32 b) { return a OP b; }>, StepClass::Scalar)},  \
  {Op::S_CMPK_##NAME##_I32,                                                    \
   custom(&compareK<[](i32 a, i32 b) { return a OP b; }>, StepClass::Scalar)}, \
  {                                                                            \
    Op::S_CMPK_##NAME##_U32,                                                   \
        custom(&compareK<[](u32 a, u32 b) { return a OP b; }>,                 \
               StepClass::Scalar)                                              \
  }
#define HIPSIM_UNARY(NAME, SCC, PARAM, ...)                                    \
  {                                                                            \
    Op::S_##NAME,                                                              \
        custom(&unary<[](PARAM a) { return __VA_ARGS__; }, Scc::SCC>,          \
               StepClass::Scalar, valueType<PARAM>())                          \
  }
#define HIPSIM_BINARY(NAME, SCC, PARAM, PARAM2, ...)                           \
  {                                                                            \
    Op::S_##NAME,                                                              \
        scalarOf<PARAM, PARAM2>(                                               \
            &binary<[](PARAM a, PARAM2 b) { return __VA_ARGS__; }, Scc::SCC>)  \
  }
#define HIPSIM_CARRY(NAME, PARAM, ...)                                         \
  {                                                                            \
    Op::S_##NAME, custom(&carrying<[](PARAM a, PARAM b, u32 &scc) {            \
                           __VA_ARGS__                                         \
                         }>,                                                   \
                         StepClass::Scalar)                                    \
  }

template <class A, class B> constexpr Operation scalarOf(Handler handler) {
  Operation operation = custom(handler, StepClass::Scalar, valueType<A>());
  operation.type[1] = valueType<B>();
  return operation;
}

const Entry entries[] = {
    HIPSIM_BITWISE(AND, a & b), HIPSIM_BITWISE(OR, a | b),
    HIPSIM_BITWISE(XOR, a ^ b), HIPSIM_BITWISE(ANDN2, a & ~b),
    HIPSIM_BITWISE(ORN2, a | ~b), HIPSIM_BITWISE(NAND, ~(a & b)),
    HIPSIM_BITWISE(NOR, ~(a | b)), HIPSIM_BITWISE(XNOR, ~(a ^ b)),

    HIPSIM_SAVEEXEC(AND, s & e), HIPSIM_SAVEEXEC(OR, s | e),
    HIPSIM_SAVEEXEC(XOR, s ^ e), HIPSIM_SAVEEXEC(ANDN2, s & ~e),
    HIPSIM_SAVEEXEC(ORN2, s | ~e), HIPSIM_SAVEEXEC(NAND, ~(s & e)),
    HIPSIM_SAVEEXEC(NOR, ~(s | e)), HIPSIM_SAVEEXEC(XNOR, ~(s ^ e)),
    HIPSIM_SAVEEXEC(ANDN1, ~s & e), HIPSIM_SAVEEXEC(ORN1, ~s | e),
    {Op::S_ANDN1_WREXEC_B64,
     custom(&writeExec<[](u64 s, u64 e) { return ~s & e; }>, StepClass::Scalar,
            ValueType::U64)},
    {Op::S_ANDN2_WREXEC_B64,
     custom(&writeExec<[](u64 s, u64 e) { return s & ~e; }>, StepClass::Scalar,
            ValueType::U64)},

    HIPSIM_COMPARES(EQ, ==), HIPSIM_COMPARES(LG, !=), HIPSIM_COMPARES(GT, >),
    HIPSIM_COMPARES(GE, >=), HIPSIM_COMPARES(LT, <), HIPSIM_COMPARES(LE, <=),
    {Op::S_CMP_EQ_U64, custom(&compare<[](u64 a, u64 b) { return a == b; }>,
                              StepClass::Scalar, ValueType::U64)},
    {Op::S_CMP_LG_U64, custom(&compare<[](u64 a, u64 b) { return a != b; }>,
                              StepClass::Scalar, ValueType::U64)},
    {Op::S_BITCMP0_B32,
     custom(&compare<[](u32 a, u32 b) { return !(a >> (b & 31) & 1); }>,
            StepClass::Scalar)},
    {Op::S_BITCMP1_B32,
     custom(&compare<[](u32 a, u32 b) { return bool(a >> (b & 31) & 1); }>,
            StepClass::Scalar)},
    {Op::S_BITCMP0_B64,
     scalarOf<u64, u32>(
         &compare<[](u64 a, u32 b) { return !(a >> (b & 63) & 1); }>)},
    {Op::S_BITCMP1_B64,
     scalarOf<u64, u32>(
         &compare<[](u64 a, u32 b) { return bool(a >> (b & 63) & 1); }>)},

    HIPSIM_UNARY(MOV_B32, Keep, u32, a), HIPSIM_UNARY(MOV_B64, Keep, u64, a),
    HIPSIM_UNARY(NOT_B32, NotZero, u32, ~a),
    HIPSIM_UNARY(NOT_B64, NotZero, u64, ~a),
    HIPSIM_UNARY(BREV_B32, Keep, u32, reverse32(a)),
    HIPSIM_UNARY(BREV_B64, Keep, u64, u64(__builtin_bitreverse64(a))),
    HIPSIM_UNARY(BCNT0_I32_B32, NotZero, u32, u32(__builtin_popcount(~a))),
    HIPSIM_UNARY(BCNT0_I32_B64, NotZero, u64, u32(__builtin_popcountll(~a))),
    HIPSIM_UNARY(BCNT1_I32_B32, NotZero, u32, u32(__builtin_popcount(a))),
    HIPSIM_UNARY(BCNT1_I32_B64, NotZero, u64, u32(__builtin_popcountll(a))),
    HIPSIM_UNARY(FF0_I32_B32, Keep, u32, ~a ? __builtin_ctz(~a) : -1),
    HIPSIM_UNARY(FF0_I32_B64, Keep, u64, ~a ? __builtin_ctzll(~a) : -1),
    HIPSIM_UNARY(FF1_I32_B32, Keep, u32, a ? __builtin_ctz(a) : -1),
    HIPSIM_UNARY(FF1_I32_B64, Keep, u64, a ? __builtin_ctzll(a) : -1),
    HIPSIM_UNARY(FLBIT_I32_B32, Keep, u32, a ? __builtin_clz(a) : -1),
    HIPSIM_UNARY(FLBIT_I32_B64, Keep, u64, a ? __builtin_clzll(a) : -1),
    HIPSIM_UNARY(FLBIT_I32, Keep, i32,
                 a == 0 || a == -1 ? -1 : __builtin_clz(a < 0 ? ~a : a)),
    HIPSIM_UNARY(FLBIT_I32_I64, Keep, i64,
                 a == 0 || a == -1 ? -1 : __builtin_clzll(a < 0 ? ~a : a)),
    HIPSIM_UNARY(SEXT_I32_I8, Keep, u32, i32(int8_t(a))),
    HIPSIM_UNARY(SEXT_I32_I16, Keep, u32, i32(i16(a))),
    {Op::S_CMOV_B32, custom(&conditionalMove<u32>, StepClass::Scalar)},
    {Op::S_CMOV_B64,
     custom(&conditionalMove<u64>, StepClass::Scalar, ValueType::U64)},
    {Op::S_ABS_I32, custom(&absolute, StepClass::Scalar)},
    {Op::S_BITSET0_B32, custom(&setBit<u32, false>, StepClass::Scalar)},
    {Op::S_BITSET1_B32, custom(&setBit<u32, true>, StepClass::Scalar)},
    {Op::S_BITSET0_B64, custom(&setBit<u64, false>, StepClass::Scalar)},
    {Op::S_BITSET1_B64, custom(&setBit<u64, true>, StepClass::Scalar)},

    {Op::S_CSELECT_B32, custom(&select<u32>, StepClass::Scalar)},
    {Op::S_CSELECT_B64, custom(&select<u64>, StepClass::Scalar, ValueType::U64)},
    HIPSIM_CARRY(ADD_U32, u32, u64 r = u64(a) + b; scc = u32(r >> 32); return u32(r);),
    HIPSIM_CARRY(SUB_U32, u32, scc = b > a; return a - b;),
    HIPSIM_CARRY(ADD_I32, i32, i32 r; scc = __builtin_add_overflow(a, b, &r); return r;),
    HIPSIM_CARRY(SUB_I32, i32, i32 r; scc = __builtin_sub_overflow(a, b, &r); return r;),
    HIPSIM_CARRY(ADDC_U32, u32, u64 r = u64(a) + b + scc; scc = u32(r >> 32); return u32(r);),
    HIPSIM_CARRY(SUBB_U32, u32, u64 t = u64(b) + scc; u32 r = a - u32(t); scc = t > a; return r;),
    HIPSIM_CARRY(LSHL1_ADD_U32, u32, u64 r = (u64(a) << 1) + b; scc = r >> 32 != 0; return u32(r);),
    HIPSIM_CARRY(LSHL2_ADD_U32, u32, u64 r = (u64(a) << 2) + b; scc = r >> 32 != 0; return u32(r);),
    HIPSIM_CARRY(LSHL3_ADD_U32, u32, u64 r = (u64(a) << 3) + b; scc = r >> 32 != 0; return u32(r);),
    HIPSIM_CARRY(LSHL4_ADD_U32, u32, u64 r = (u64(a) << 4) + b; scc = r >> 32 != 0; return u32(r);),
    {Op::S_MIN_I32, custom(&minMax<i32, [](i32 a, i32 b) { return a < b; }>, StepClass::Scalar)},
    {Op::S_MIN_U32, custom(&minMax<u32, [](u32 a, u32 b) { return a < b; }>, StepClass::Scalar)},
    {Op::S_MAX_I32, custom(&minMax<i32, [](i32 a, i32 b) { return a > b; }>, StepClass::Scalar)},
    {Op::S_MAX_U32, custom(&minMax<u32, [](u32 a, u32 b) { return a > b; }>, StepClass::Scalar)},
    HIPSIM_BINARY(LSHL_B32, NotZero, u32, u32, a << (b & 31)),
    HIPSIM_BINARY(LSHL_B64, NotZero, u64, u32, a << (b & 63)),
    HIPSIM_BINARY(LSHR_B32, NotZero, u32, u32, a >> (b & 31)),
    HIPSIM_BINARY(LSHR_B64, NotZero, u64, u32, a >> (b & 63)),
    HIPSIM_BINARY(ASHR_I32, NotZero, i32, u32, a >> (b & 31)),
    HIPSIM_BINARY(ASHR_I64, NotZero, i64, u32, a >> (b & 63)),
    HIPSIM_BINARY(BFM_B32, Keep, u32, u32, ((1u << (a & 31)) - 1) << (b & 31)),
    HIPSIM_BINARY(BFM_B64, Keep, u32, u32, ((1ull << (a & 63)) - 1) << (b & 63)),
    HIPSIM_BINARY(BFE_U32, NotZero, u32, u32,
                  (a >> (b & 31)) & lowBits(b >> 16 & 127)),
    HIPSIM_BINARY(BFE_U64, NotZero, u64, u32,
                  (a >> (b & 63)) & lowBits64(b >> 16 & 127)),
    HIPSIM_BINARY(BFE_I32, NotZero, i32, u32, [](i32 v, u32 offset, u32 width) {
                    if (width == 0) return 0;
                    if (width + offset >= 32) return v >> offset;
                    return i32(u32(v) << (32 - width - offset)) >> (32 - width);
                  }(a, b & 31, b >> 16 & 127)),
    HIPSIM_BINARY(BFE_I64, NotZero, i64, u32, [](i64 v, u32 offset, u32 width) {
                    if (width == 0) return i64(0);
                    if (width + offset >= 64) return v >> offset;
                    return i64(u64(v) << (64 - width - offset)) >> (64 - width);
                  }(a, b & 63, b >> 16 & 127)),
    HIPSIM_BINARY(MUL_I32, Keep, u32, u32, a * b),
    {Op::S_MUL_HI_U32, custom(&multiplyHighU, StepClass::Scalar)},
    {Op::S_MUL_HI_I32, custom(&multiplyHighI, StepClass::Scalar)},
    HIPSIM_BINARY(ABSDIFF_I32, NotZero, i32, i32,
                  a > b ? u32(a) - u32(b) : u32(b) - u32(a)),
    HIPSIM_BINARY(PACK_LL_B32_B16, Keep, u32, u32, (a & 0xffff) | b << 16),
    HIPSIM_BINARY(PACK_LH_B32_B16, Keep, u32, u32, (a & 0xffff) | (b & 0xffff0000)),
    HIPSIM_BINARY(PACK_HH_B32_B16, Keep, u32, u32, a >> 16 | (b & 0xffff0000)),

    {Op::S_MOVK_I32, custom(&moveK, StepClass::Scalar)},
    {Op::S_CMOVK_I32, custom(&conditionalMoveK, StepClass::Scalar)},
    {Op::S_ADDK_I32, custom(&addK, StepClass::Scalar)},
    {Op::S_MULK_I32, custom(&multiplyK, StepClass::Scalar)},
};

} // namespace

void addScalar(OperationTable &table) { addEntries(table, entries); }

} // namespace hipsim::HIPSIM_SIMD
