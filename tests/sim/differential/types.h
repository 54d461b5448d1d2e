// The types of generated kernels.
#pragma once

#include "tests/sim/differential/generator.h"

namespace differential {

struct Type {
  const char *name;
  const char *element; ///< Itself for a scalar.
  bool isFloat;
  bool isSigned;
  uint32_t bits; ///< Of an element.
  uint32_t lanes;
  uint32_t weight; ///< How often a variable has it.
};

inline constexpr Type types[] = {
    {"u32", "u32", false, false, 32, 1, 14}, {"i32", "i32", false, true, 32, 1, 12},
    {"u64", "u64", false, false, 64, 1, 6},  {"i64", "i64", false, true, 64, 1, 6},
    {"u16", "u16", false, false, 16, 1, 5},  {"i16", "i16", false, true, 16, 1, 5},
    {"u8", "u8", false, false, 8, 1, 4},     {"i8", "i8", false, true, 8, 1, 4},
    {"f32", "f32", true, true, 32, 1, 14},   {"f64", "f64", true, true, 64, 1, 8},
    {"f16", "f16", true, true, 16, 1, 8},    {"bf16", "bf16", true, true, 16, 1, 4},
    {"i8x4", "i8", false, true, 8, 4, 2},    {"u8x4", "u8", false, false, 8, 4, 2},
    {"i16x2", "i16", false, true, 16, 2, 2}, {"u16x2", "u16", false, false, 16, 2, 2},
    {"i16x4", "i16", false, true, 16, 4, 1}, {"u16x4", "u16", false, false, 16, 4, 1},
    {"i32x2", "i32", false, true, 32, 2, 2}, {"u32x2", "u32", false, false, 32, 2, 2},
    {"i32x4", "i32", false, true, 32, 4, 2}, {"u32x4", "u32", false, false, 32, 4, 2},
    {"i64x2", "i64", false, true, 64, 2, 1}, {"u64x2", "u64", false, false, 64, 2, 1},
    {"f16x2", "f16", true, true, 16, 2, 3},  {"f16x4", "f16", true, true, 16, 4, 1},
    {"f32x2", "f32", true, true, 32, 2, 4},  {"f32x4", "f32", true, true, 32, 4, 2},
    {"f64x2", "f64", true, true, 64, 2, 1},
};

const Type &typeOf(const std::string &name);
/// A scalar or vector type by weight.
const Type &randomType(Random &random);
const Type &randomInteger(Random &random);
const Type &randomFloat(Random &random);
/// A vector type with `lanes` lanes.
const Type &randomVector(Random &random, uint32_t lanes);
/// "u32" for f32: what carries its bits.
std::string bitsType(const Type &type);

} // namespace differential
