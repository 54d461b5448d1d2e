// Random expressions; see expressions.h.
#include "tests/sim/differential/expressions.h"

#include <cstring>

namespace differential {

namespace {

template <class Accept> const Type &weighted(Random &random, Accept accept) {
  uint32_t total = 0;
  for (const Type &type : types)
    total += accept(type) ? type.weight : 0;
  uint32_t at = random.below(total);
  for (const Type &type : types) {
    if (!accept(type))
      continue;
    if (at < type.weight)
      return type;
    at -= type.weight;
  }
  return types[0];
}

bool isBrain(const Type &type) { return std::strcmp(type.element, "bf16") == 0; }

std::string cast(const Type &type, const std::string &text) {
  return std::string("(") + type.name + ")(" + text + ")";
}

} // namespace

const Type &typeOf(const std::string &name) {
  for (const Type &type : types)
    if (name == type.name)
      return type;
  return types[0];
}
const Type &randomType(Random &random) {
  return weighted(random, [](const Type &) { return true; });
}
const Type &randomInteger(Random &random) {
  return weighted(random, [](const Type &t) { return t.lanes == 1 && !t.isFloat; });
}
const Type &randomFloat(Random &random) {
  return weighted(random, [](const Type &t) { return t.lanes == 1 && t.isFloat; });
}
const Type &randomVector(Random &random, uint32_t lanes) {
  return weighted(random, [&](const Type &t) { return t.lanes == lanes; });
}
std::string bitsType(const Type &type) { return "u" + std::to_string(type.bits); }

std::string Expressions::of(const Type &type, int depth) {
  if (depth <= 0 || random.chance(12))
    return leaf(type);
  if (type.lanes > 1)
    return vector(type, depth);
  return type.isFloat ? floating(type, depth) : integer(type, depth);
}

std::string Expressions::condition(int depth) {
  if (random.chance(15))
    return "(" + condition(depth - 1) + pick({" & ", " | ", " && ", " || "}) + condition(depth - 1) + ")";
  const Type &type = random.chance(30) ? randomFloat(random) : randomInteger(random);
  return "(" + of(type, depth - 1) + pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
         of(type, depth - 1) + ")";
}

std::string Expressions::literal(const Type &type) {
  if (type.isFloat) {
    const char *value = pick({"0.0", "1.0", "-1.0", "0.5", "3.25", "-7.0", "0.1", "100.0", "-0.0",
                              "1e-7", "65504.0", "2.0", "4.0", "0.15915494309189532", "-0.3"});
    return std::string("(") + type.name + ")" + value;
  }
  switch (random.below(4)) {
  case 0: return std::string("(") + type.name + ")" + std::to_string(random.below(65));
  case 1: return std::string("(") + type.name + ")-" + std::to_string(1 + random.below(17));
  case 2:
    return std::string("(") + type.name + ")" +
           pick({"0x7fffffffu", "0x80000000u", "0xffu", "0x8000u", "0x7fffu", "0xffffu",
                 "0x3f800000u", "0x100000000ull", "0x7fffffffffffffffull", "0x8000000000000000ull"});
  default:
    return std::string("(") + type.name + ")0x" +
           [&] { char text[20]; std::snprintf(text, sizeof(text), "%llx", (unsigned long long)random.bits()); return std::string(text); }() + "ull";
  }
}

std::string Expressions::leaf(const Type &type) {
  std::vector<const Variable *> same, scalars;
  for (const Variable &v : scope.variables) {
    if (v.type == &type)
      same.push_back(&v);
    if (v.type->lanes == 1 && !v.type->isFloat)
      scalars.push_back(&v);
  }
  if (!same.empty() && random.chance(80))
    return same[random.below(uint32_t(same.size()))]->text;
  if (type.lanes > 1) {
    std::string text = std::string("(") + type.name + "){";
    for (uint32_t l = 0; l < type.lanes; ++l)
      text += (l ? ", " : "") + leaf(typeOf(type.element));
    return text + "}";
  }
  if (type.isFloat || scalars.empty() || random.chance(40))
    return literal(type);
  if (!scope.arrays.empty() && random.chance(20))
    return cast(type, scope.arrays[random.below(uint32_t(scope.arrays.size()))] + "[" +
                          std::to_string(random.below(8)) + "]");
  return cast(type, scalars[random.below(uint32_t(scalars.size()))]->text);
}

std::string Expressions::machine(int depth) {
  const char *name = pick({"x_perm", "x_alignbit", "x_alignbyte", "x_sad", "x_ubfe", "x_sbfe", "x_udot", "x_sdot", "x_mbcnt"});
  std::string third = std::strcmp(name, "x_mbcnt") == 0 ? "s->lane" : u32Of(depth);
  return std::string(name) + "(" + u32Of(depth) + ", " + u32Of(depth) + ", " + third + ")";
}

std::string Expressions::memoryRead(const Type &type, int depth) {
  std::string at = ", " + u32Of(depth) + ", ";
  if (scope.ldsReadable && random.chance(60))
    return std::string("loadl_") + type.name + "(lds" + at + "LDS_BYTES)";
  const char *form = pick({"load_", "load_", "load_", "loadu_", "loadf_"});
  if (scope.ownReadable && random.chance(25))
    return std::string(form) + type.name + "(own" + at + "OWN_STORES)";
  return std::string(form) + type.name + "(in" + at + "IN_BYTES)";
}

std::string Expressions::element(const Type &scalar, int depth) {
  std::vector<const Type *> vectors;
  for (const Type &type : types)
    if (type.lanes > 1 && std::strcmp(type.element, scalar.name) == 0)
      vectors.push_back(&type);
  if (vectors.empty())
    return leaf(scalar);
  const Type &type = *vectors[random.below(uint32_t(vectors.size()))];
  std::string index = random.chance(60) ? std::to_string(random.below(type.lanes))
                                        : u32Of(depth) + " & " + std::to_string(type.lanes - 1);
  return "(" + of(type, depth) + ")[" + index + "]";
}

std::string Expressions::integerCall(const Type &type, int depth) {
  std::string suffix = std::string("_") + type.name, a = of(type, depth), b = of(type, depth);
  switch (random.below(5)) {
  case 0: return pick({"div", "rem"}) + suffix + "(" + a + ", " + b + ")";
  case 1: return pick({"shl", "shr", "rot"}) + suffix + "(" + a + ", " + u32Of(depth) + ")";
  case 2: return pick({"min", "max", "adds", "subs", "carry"}) + suffix + "(" + a + ", " + b + ")";
  case 3: return pick({"rev", "pop", "clz", "ctz"}) + suffix + "(" + a + ")";
  default:
    return type.bits < 32 ? "min" + suffix + "(" + a + ", " + b + ")"
                          : "mulhi" + suffix + "(" + a + ", " + b + ")";
  }
}

std::string Expressions::integer(const Type &type, int depth) {
  int d = depth - 1;
  switch (random.below(14)) {
  case 0: case 1: case 2:
    return cast(type, of(type, d) + pick({" + ", " - ", " * ", " & ", " | ", " ^ "}) + of(type, d));
  case 3: case 4: return integerCall(type, d);
  case 5: return "(" + condition(d) + " ? " + of(type, d) + " : " + of(type, d) + ")";
  case 6: return cast(type, pick({"~", "-"}) + of(type, d));
  case 7: case 8: return cast(type, of(randomInteger(random), d));
  case 9: {
    const Type &from = randomFloat(random);
    if (isBrain(from))
      return cast(type, "bits_bf16(" + of(from, d) + ")");
    return random.chance(60) ? std::string(from.name) + "_to_" + type.name + "(" + of(from, d) + ")"
                             : cast(type, std::string("bits_") + from.name + "(" + of(from, d) + ")");
  }
  case 10: return memoryRead(type, d);
  case 11: return element(type, d);
  case 12:
    if (!scope.functions.empty() && random.chance(40))
      return cast(type, scope.functions[random.below(uint32_t(scope.functions.size()))] + "(" + u32Of(d) +
                            ", " + of(typeOf("f32"), d) + ", " + of(typeOf("u64"), d) + ")");
    if (!scope.arrays.empty())
      return cast(type, scope.arrays[random.below(uint32_t(scope.arrays.size()))] + "[" + u32Of(d) + " & 7]");
    return cast(type, condition(d));
  default: return cast(type, machine(d));
  }
}

std::string Expressions::brain(int depth) {
  switch (random.below(4)) {
  case 0: return "from_bf16(" + of(typeOf("u16"), depth) + ")";
  case 1: return "sel_bf16(" + condition(depth) + ", " + of(typeOf("bf16"), depth) + ", " + of(typeOf("bf16"), depth) + ")";
  case 2: // Arithmetic is that of float, rounded once.
    return "(bf16)((f32)" + of(typeOf("bf16"), depth) + pick({" + ", " - ", " * ", " / "}) + "(f32)" + of(typeOf("bf16"), depth) + ")";
  default: return "(bf16)(" + of(typeOf("f32"), depth) + ")";
  }
}

std::string Expressions::floatCall(const Type &type, int depth) {
  std::string suffix = std::string("_") + type.name, a = of(type, depth), b = of(type, depth);
  bool half = type.bits == 16; // Has neither round nor ldexp.
  switch (random.below(half ? 5 : 6)) {
  case 0: return pick({"sqrt", "fabs", "floor", "ceil", "trunc", "rint"}) + suffix + "(" + a + ")";
  case 1: return pick({"sign", "fmin", "fmax", "lt", "gt"}) + suffix + "(" + a + ", " + b + ")";
  case 2: return "sel" + suffix + "(" + condition(depth) + ", " + a + ", " + b + ")";
  case 3: return "(-" + a + ")";
  case 4: return half || random.chance(70) ? "fma" + suffix + "(" + a + ", " + b + ", " + of(type, depth) + ")"
                                   : "round" + suffix + "(" + a + ")";
  default: return "ldexp" + suffix + "(" + a + ", " + of(typeOf("i32"), depth) + ")";
  }
}

std::string Expressions::floatFrom(const Type &type, int depth) {
  switch (random.below(4)) {
  case 0: return cast(type, of(randomFloat(random), depth));
  case 1: return cast(type, of(randomInteger(random), depth));
  case 2: return std::string("from_") + type.name + "(" + of(typeOf(bitsType(type)), depth) + ")";
  default: return element(type, depth);
  }
}

std::string Expressions::floating(const Type &type, int depth) {
  int d = depth - 1;
  if (isBrain(type))
    return brain(d);
  uint32_t kind = random.below(10);
  if (kind < 5)
    return "(" + of(type, d) + pick({" + ", " - ", " * ", " / ", " + ", " * "}) + of(type, d) + ")";
  return kind < 7 ? floatCall(type, d) : floatFrom(type, d);
}

std::string Expressions::vectorFrom(const Type &type, int depth) {
  const Type &from = randomVector(random, type.lanes);
  // Float to integer is not defined for every value.
  if (from.isFloat && !type.isFloat)
    return leaf(type);
  return std::string("__builtin_convertvector(") + of(from, depth) + ", " + type.name + ")";
}

std::string Expressions::vector(const Type &type, int depth) {
  int d = depth - 1;
  std::string a = of(type, d), b = of(type, d);
  switch (random.below(9)) {
  case 0: case 1: case 2:
    return type.isFloat
               ? "(" + a + pick({" + ", " - ", " * ", " * ", " / "}) + b + ")"
               : "(" + a + pick({" + ", " - ", " * ", " & ", " | ", " ^ "}) + b + ")";
  case 3: {
    std::string text = "__builtin_shufflevector(" + a + ", " + b;
    for (uint32_t l = 0; l < type.lanes; ++l)
      text += ", " + std::to_string(random.below(2 * type.lanes));
    return text + ")";
  }
  case 4: return vectorFrom(type, d);
  case 5: {
    std::string text = std::string("(") + type.name + "){";
    for (uint32_t l = 0; l < type.lanes; ++l)
      text += (l ? ", " : "") + of(typeOf(type.element), d);
    return text + "}";
  }
  case 6:
    if (type.isFloat)
      return type.bits >= 32 ? "__builtin_elementwise_fma(" + a + ", " + b + ", " + of(type, d) + ")"
                             : "(-" + a + ")";
    return memoryRead(type, d);
  case 7:
    if (type.isFloat)
      return "__builtin_elementwise_abs(" + a + ")";
    return pick({"__builtin_elementwise_min(", "__builtin_elementwise_max(", "__builtin_elementwise_add_sat(",
                 "__builtin_elementwise_sub_sat("}) + a + ", " + b + ")";
  default:
    if (type.isFloat)
      return "(" + a + " - " + b + ")";
    if (random.chance(50)) // The comparison is a mask of the same width.
      return std::string("(__builtin_bit_cast(") + type.name + ", " + a + pick({" < ", " == ", " > "}) + b + ") & " + of(type, d) + ")";
    return "(" + a + pick({" << ", " >> "}) + "(" + b + " & (" + type.name + ")" + "(" + std::to_string(type.bits - 1) + ")))";
  }
}

} // namespace differential
