// Kernels from seeds; see generator.h.
//
// A kernel is a list of phases with operations across lanes, barriers and LDS
// traffic between them. Rules that keep results independent of the order of
// work items: a phase reads LDS or writes it, never both; it writes only the
// slot of its own item; atomics on shared memory are of one kind a phase, and
// their results are not used.
#include "tests/sim/differential/expressions.h"

#include <algorithm>
#include <iterator>

namespace differential {

uint64_t Random::bits() {
  uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

namespace {

/// Variables of the state; 12 values of 16 bytes fit in a record (layout.h).
constexpr uint32_t minVariables = 6, maxVariables = 12, crossVariables = 3;
constexpr uint32_t maxPhases = 14;
constexpr const char *phaseParameters =
    " *s, G const u8 *in, G u8 *own, G u8 *acc, L u8 *lds, G f32 *near, u32 turn";
/// Control words of update_dpp.
constexpr uint32_t dppControls[] = {0x00,  0x1b,  0xb1,  0x4e,  0xe4,  0x93,  0x101, 0x104, 0x10f, 0x111,
                                    0x112, 0x118, 0x11f, 0x121, 0x128, 0x12f, 0x130, 0x134, 0x138, 0x13c,
                                    0x140, 0x141, 0x142, 0x143, 0x150, 0x157, 0x15f};
/// Patterns of ds_swizzle: and, or, xor masks, and permutations of four lanes.
constexpr uint32_t swizzles[] = {0x041f, 0x081f, 0x101f, 0x401f, 0x7c1f, 0x0018, 0x00e0,
                                 0x03e0, 0x801b, 0x80b1, 0x804e, 0x80ff};
/// The last wave of 100 and 160 items is not full; lanes below 32 always exist.
constexpr uint32_t blocks[] = {64, 64, 100, 128, 160, 192, 256};

class KernelWriter {
public:
  explicit KernelWriter(uint64_t seed)
      : random(seed), name("k" + std::to_string(seed)), state(name + "_state") {}

  std::string write();

private:
  // Pieces of the file, in order: functions, phases, the kernel's body.
  std::string functions, phases, body;

  void writeFunction(uint32_t number);
  /// Adds a phase with the given statements, and its call.
  void addPhase(const std::string &statements);
  void addCheck();
  void firstPhase();
  void lastPhase();
  void plainPhase();
  void ldsPhases();
  void cross();
  std::string crossCondition();

  void statement(std::string &out, int depth, const std::string &indent);
  void statements(std::string &out, uint32_t count, int depth, const std::string &indent);
  void block(std::string &out, int depth, const std::string &indent);
  void assign(std::string &out, const std::string &indent);
  void loop(std::string &out, int depth, const std::string &indent);
  void choice(std::string &out, int depth, const std::string &indent);
  void store(std::string &out, const std::string &indent);
  void atomic(std::string &out, const std::string &indent);
  std::string phaseStatements(uint32_t count);

  std::string expression(const Type &type, int depth) { return Expressions(random, scope).of(type, depth); }
  std::string condition(int depth) { return Expressions(random, scope).condition(depth); }
  std::string u32Of(int depth) { return expression(typeOf("u32"), depth); }
  std::string fresh(const char *prefix) { return prefix + std::to_string(counter++); }
  /// A type that memory helpers exist for.
  const Type &memoryType() {
    for (;;) {
      const Type &type = randomType(random);
      if (!type.isFloat)
        return type;
    }
  }
  std::string crossVariable() { return "v" + std::to_string(random.below(crossVariables)); }

  Random random;
  std::string name, state;
  std::vector<Variable> variables; ///< Of the state.
  Scope scope;
  uint32_t counter = 0, phaseCount = 0, checks = 0, loopDepth = 0;
  /// Kinds of atomic operations on the accumulators: order must not matter.
  const char *atomic32 = "add", *atomic64 = "add";
};

void KernelWriter::assign(std::string &out, const std::string &indent) {
  const Variable &v = variables[random.below(uint32_t(variables.size()))];
  out += indent + v.text + " = " + expression(*v.type, 3) + ";\n";
}

void KernelWriter::block(std::string &out, int depth, const std::string &indent) {
  size_t locals = scope.variables.size(), arrays = scope.arrays.size();
  statements(out, 1 + random.below(2), depth - 1, indent + "  ");
  scope.variables.resize(locals);
  scope.arrays.resize(arrays);
}

void KernelWriter::loop(std::string &out, int depth, const std::string &indent) {
  std::string i = fresh("n");
  bool whileLoop = random.chance(35);
  if (whileLoop)
    out += indent + "for (u32 " + i + " = 0; " + condition(2) + " && " + i + " < " +
           std::to_string(2 + random.below(5)) + "; ++" + i + ") {\n";
  else
    out += indent + "for (u32 " + i + " = 0; " + i + " < (" + u32Of(2) + " & " +
           (random.chance(70) ? "3" : "7") + "); ++" + i + ") {\n";
  // The bound is computed again in each turn and may have grown: a limit.
  out += indent + "  if (" + i + " > 8)\n" + indent + "    break;\n";
  size_t locals = scope.variables.size();
  scope.variables.push_back({i, &typeOf("u32")});
  ++loopDepth;
  block(out, depth, indent);
  if (random.chance(40))
    out += indent + "  if (" + condition(2) + ")\n" + indent + "    " + (random.chance(60) ? "break" : "continue") + ";\n";
  if (random.chance(30))
    block(out, depth, indent);
  --loopDepth;
  scope.variables.resize(locals);
  out += indent + "}\n";
}

/// No case falls through: clang 22 loses assignments of such cases for AMDGPU at
/// -O1 and above (README.md), and that is not what is tested here.
void KernelWriter::choice(std::string &out, int depth, const std::string &indent) {
  uint32_t cases = 2 + random.below(4);
  out += indent + "switch (" + u32Of(2) + " % " + std::to_string(cases + 1) + ") {\n";
  for (uint32_t c = 0; c < cases; ++c) {
    out += indent + "case " + std::to_string(c) + ": {\n";
    block(out, depth, indent);
    out += indent + "}\n" + indent + "  break;\n";
  }
  out += indent + "default:\n" + indent + "  break;\n" + indent + "}\n";
}

void KernelWriter::store(std::string &out, const std::string &indent) {
  const Type &type = memoryType();
  out += indent + (random.chance(75) ? "store_" : "storeu_") + type.name + "(own, " + u32Of(2) +
         ", OWN_STORES, " + expression(type, 2) + ");\n";
}

void KernelWriter::atomic(std::string &out, const std::string &indent) {
  bool wide = random.chance(30);
  std::string type = wide ? "u64" : "u32", signedType = wide ? "i64" : "i32";
  std::string value = expression(typeOf(type), 2);
  if (random.chance(50)) { // Shared by all, result not used.
    std::string kind = wide ? atomic64 : atomic32;
    bool isSigned = kind[0] == 's';
    out += indent + "__scoped_atomic_fetch_" + (isSigned ? kind.substr(1) : kind) + "((G " +
           (isSigned ? signedType : type) + " *)acc + " + (wide ? "64 + (" : "(") + u32Of(2) +
           (wide ? " & 63), " : " & 127), ") + value + ", __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);\n";
    return;
  }
  // On the item's own record, result used.
  static const char *kinds[] = {"fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor",
                                "fetch_min", "fetch_max", "exchange_n"};
  std::string t = fresh("t"), place = "(G " + type + " *)own + (" + u32Of(1) + " & " + (wide ? "31)" : "63)");
  if (random.chance(25)) {
    out += indent + type + " " + t + " = " + value + ";\n" + indent + "__scoped_atomic_compare_exchange_n(" +
           place + ", &" + t + ", " + expression(typeOf(type), 1) +
           ", 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);\n";
  } else {
    out += indent + type + " " + t + " = __scoped_atomic_" + kinds[random.below(uint32_t(std::size(kinds)))] +
           "(" + place + ", " + value + ", __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);\n";
  }
  scope.variables.push_back({t, &typeOf(type)});
}

void KernelWriter::statement(std::string &out, int depth, const std::string &indent) {
  uint32_t kind = random.below(depth > 0 ? 20 : 12);
  if (kind < 5)
    return assign(out, indent);
  if (kind < 7) {
    const Type &type = randomType(random);
    std::string t = fresh("t");
    out += indent + type.name + " " + t + " = " + expression(type, 3) + ";\n";
    scope.variables.push_back({t, &type});
    return;
  }
  if (kind == 7)
    return store(out, indent);
  if (kind == 8)
    return atomic(out, indent);
  if (kind == 9 && !scope.arrays.empty()) {
    out += indent + scope.arrays[random.below(uint32_t(scope.arrays.size()))] + "[" + u32Of(2) +
           " & 7] = " + u32Of(2) + ";\n";
    return;
  }
  if (kind < 12)
    return assign(out, indent);
  if (kind < 16) {
    out += indent + "if (" + condition(3) + ") {\n";
    block(out, depth, indent);
    out += indent + "}";
    if (random.chance(50)) {
      out += " else {\n";
      block(out, depth, indent);
      out += indent + "}";
    }
    out += "\n";
    return;
  }
  if (kind < 18 && loopDepth < 2)
    return loop(out, depth, indent);
  choice(out, depth, indent);
}

void KernelWriter::statements(std::string &out, uint32_t count, int depth, const std::string &indent) {
  for (uint32_t i = 0; i < count; ++i)
    statement(out, depth, indent);
}

std::string KernelWriter::phaseStatements(uint32_t count) {
  std::string out;
  if (random.chance(25)) {
    std::string a = fresh("a");
    out += "  u32 " + a + "[8];\n  for (u32 i = 0; i < 8; ++i)\n    " + a + "[i] = mix(i, s->v0);\n";
    scope.arrays.push_back(a);
  }
  statements(out, count, 2, "  ");
  return out;
}

void KernelWriter::addPhase(const std::string &text) {
  std::string phase = name + "_p" + std::to_string(phaseCount++);
  phases += "static void " + phase + "(" + state + phaseParameters + ") {\n" + text + "}\n";
  body += "  PHASE(" + phase + ")\n";
  scope.variables = variables;
  for (const char *id : {"s->item", "s->group", "s->lane", "turn"})
    scope.variables.push_back({id, &typeOf("u32")});
  scope.arrays.clear();
  scope.ldsReadable = false;
}

/// A checksum of all variables: tells after which phase a result is wrong.
void KernelWriter::addCheck() {
  std::string text = "  u32 sum = 1;\n";
  for (const Variable &v : variables)
    for (uint32_t l = 0; l < v.type->lanes; ++l) {
      std::string value = v.text + (v.type->lanes > 1 ? "[" + std::to_string(l) + "]" : "");
      if (v.type->isFloat)
        value = std::string("bits_") + v.type->element + "(" + value + ")";
      text += v.type->bits == 64 ? "  sum = mix(mix(sum, (u32)" + value + "), (u32)((u64)" + value + " >> 32));\n"
                                 : "  sum = mix(sum, (u32)" + value + ");\n";
    }
  text += "  *(G u32 *)(own + OWN_VALUES + " + std::to_string(4 * checks++) + ") = sum;\n";
  addPhase(text);
}

void KernelWriter::firstPhase() {
  std::string text;
  for (const Variable &v : variables) {
    std::string id = "(s->item * 37 + s->group * 1009 + " + std::to_string(random.below(1024)) + ")";
    for (uint32_t l = 0; l < v.type->lanes; ++l) {
      std::string bits = "load_" + (v.type->isFloat ? bitsType(*v.type) : std::string(v.type->element)) + "(in, " +
                         id + " + " + std::to_string(l) + ", IN_BYTES)";
      // Half of the floats are numbers of moderate size, not random bits.
      if (v.type->isFloat && random.chance(50))
        bits = std::string(v.type->element[0] == 'b' ? "(bf16)(f32)" : "") + "((" +
               (v.type->element[0] == 'b' ? "f32" : v.type->element) + ")load_i16(in, " + id + " + " + std::to_string(l) +
               ", IN_BYTES) * (" + (v.type->element[0] == 'b' ? "f32" : v.type->element) + ")0.0625)";
      else if (v.type->isFloat)
        bits = std::string("from_") + v.type->element + "(" + bits + ")";
      text += "  " + v.text + (v.type->lanes > 1 ? "[" + std::to_string(l) + "]" : "") + " = " + bits + ";\n";
    }
  }
  text += "  for (u32 i = s->item; i < LDS_BYTES / 4; i += " + name + "_items)\n"
          "    *(L u32 *)(lds + 4 * i) = mix(i, s->group);\n";
  addPhase(text);
  body += "  BARRIER\n";
}

void KernelWriter::lastPhase() {
  std::string text;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable &v = variables[i];
    for (uint32_t l = 0; l < v.type->lanes; ++l) {
      std::string value = v.text + (v.type->lanes > 1 ? "[" + std::to_string(l) + "]" : "");
      if (v.type->isFloat)
        value = std::string("bits_") + v.type->element + "(" + value + ")";
      text += "  *(G " + bitsType(*v.type) + " *)(own + OWN_STORES + " +
              std::to_string(16 * i + l * v.type->bits / 8) + ") = (" + bitsType(*v.type) + ")" + value + ";\n";
    }
  }
  std::string close = "(f32)((i32)" + variables[0].text + " >> 8) * 0x1p-16f";
  for (const Variable &v : variables)
    if (v.type == &typeOf("f32"))
      close = v.text;
  text += "  approximate(near, " + close + ");\n";
  addPhase(text);
}

void KernelWriter::plainPhase() {
  addPhase(phaseStatements(2 + random.below(4)));
}

/// A phase that writes LDS, and one that reads it, between barriers.
void KernelWriter::ldsPhases() {
  std::string text = phaseStatements(1);
  if (random.chance(50)) { // Slots: an odd factor permutes 256 of them.
    const Type &type = typeOf(std::string(random.chance(50) ? "u32x2" : random.chance(50) ? "u64" : "i16x4"));
    text += "  storel_" + std::string(type.name) + "(lds, (s->item * " + std::to_string(2 * random.below(64) + 1) +
            " + " + std::to_string(random.below(256)) + ") & 255, LDS_BYTES / 2, " + expression(type, 2) + ");\n";
  } else {
    static const char *kinds[] = {"add", "and", "or", "xor", "min", "max"};
    bool wide = random.chance(30), isSigned = random.chance(40);
    std::string type = std::string(isSigned ? "i" : "u") + (wide ? "64" : "32");
    const char *kind = kinds[random.below(uint32_t(std::size(kinds)))];
    std::string operation = std::string("__scoped_atomic_fetch_") + kind + "((L " + type +
                            " *)(lds + LDS_BYTES / 2) + (" + u32Of(2) + " & " + (wide ? "255" : "511") + "), " +
                            expression(typeOf(type), 2) + ", __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);\n";
    text += random.chance(50) ? "  if (" + condition(2) + ")\n    " + operation : "  " + operation;
  }
  addPhase(text);
  body += "  BARRIER\n";
  scope.ldsReadable = true;
  addPhase(phaseStatements(2 + random.below(2)));
  body += "  BARRIER\n";
}

std::string KernelWriter::crossCondition() {
  if (random.chance(60))
    return "1";
  return "(s->" + crossVariable() + (random.chance(50) ? " & 1)" : " % 5 > 2)");
}

void KernelWriter::cross() {
  std::string to = crossVariable(), a = crossVariable(), b = crossVariable(), when = crossCondition();
  std::string three = when + ", " + to + ", " + a + ", " + b, two = when + ", " + to + ", " + b;
  switch (random.below(8)) {
  case 0: body += "  BPERMUTE(" + three + ")\n"; break;
  case 1: body += "  PERMUTE(" + three + ")\n"; break;
  case 2: body += "  SWIZZLE(" + two + ", " + std::to_string(swizzles[random.below(uint32_t(std::size(swizzles)))]) + ")\n"; break;
  case 3: case 4: {
    bool masked = random.chance(30);
    body += "  DPP(" + three + ", " + std::to_string(dppControls[random.below(uint32_t(std::size(dppControls)))]) + ", " +
            std::to_string(masked ? random.below(16) : 15) + ", " + std::to_string(masked ? random.below(16) : 15) +
            ", " + std::to_string(random.below(2)) + ")\n";
    break;
  }
  case 5: body += "  FIRSTLANE(" + two + ")\n"; break;
  case 6: body += "  READLANE(" + to + ", " + b + ", " + std::to_string(random.below(32)) + ")\n"; break;
  default: body += "  BALLOT(" + two + ")\n";
  }
}

void KernelWriter::writeFunction(uint32_t number) {
  std::string function = name + "_f" + std::to_string(number);
  Scope kernelScope = scope;
  scope = {};
  scope.ownReadable = false;
  scope.variables = {{"a", &typeOf("u32")}, {"b", &typeOf("f32")}, {"c", &typeOf("u64")}};
  Expressions e(random, scope);
  // No memory: the function has no pointer. `in` and `s` are not in scope.
  std::string text = "NOINLINE u32 " + function + "(u32 a, f32 b, u64 c) {\n  u32 r = mix(a, (u32)(c >> 7));\n"
                     "  for (u32 i = 0; i < (a & 3); ++i)\n    r = b < (f32)i ? mix(r, bits_f32(b * (f32)r)) : rot_u32(r, (u32)c);\n"
                     "  return r ^ (u32)div_u64(c, r) ^ f32_to_u32(b / (f32)(a | 1));\n}\n";
  functions += text;
  scope = kernelScope;
  scope.functions.push_back(function);
}

std::string KernelWriter::write() {
  static const char *kinds[] = {"add", "and", "or", "xor", "min", "max", "smin", "smax"};
  atomic32 = kinds[random.below(uint32_t(std::size(kinds)))];
  atomic64 = kinds[random.below(uint32_t(std::size(kinds)))];
  uint32_t block = blocks[random.below(uint32_t(std::size(blocks)))];
  uint32_t count = minVariables + random.below(maxVariables - minVariables + 1);
  std::string members;
  for (uint32_t i = 0; i < count; ++i) {
    const Type &type = i < crossVariables ? typeOf("u32") : randomType(random);
    variables.push_back({"s->v" + std::to_string(i), &type});
    members += std::string("  ") + type.name + " v" + std::to_string(i) + ";\n";
  }
  if (random.chance(30))
    writeFunction(0);
  firstPhase();
  uint32_t parts = 3 + random.below(4);
  for (uint32_t i = 0; i < parts && phaseCount < maxPhases && checks < 15; ++i) {
    bool repeat = random.chance(20);
    if (repeat)
      body += "  for (turn = 0; turn < " + std::to_string(2 + random.below(3)) + "; ++turn) {\n";
    if (random.chance(30))
      ldsPhases();
    else
      plainPhase();
    for (uint32_t c = random.below(4); c; --c)
      cross();
    if (repeat)
      body += "  }\n";
    addCheck();
  }
  lastPhase();
  return "typedef struct {\n  u32 item, group, lane;\n" + members + "} " + state + ";\nenum { " + name +
         "_items = " + std::to_string(block) + " };\n" + functions + phases + "KERNEL(" + name + ", " + state +
         ", " + std::to_string(block) + ", " + std::to_string(1 + random.below(3)) + ")\n  u32 turn = 0;\n" + body +
         "END_KERNEL\n";
}

} // namespace

std::string kernelSource(uint64_t seed) { return KernelWriter(seed).write(); }

std::string batchSource(const std::vector<uint64_t> &seeds, const std::string &prelude) {
  std::string text = "#include \"" + prelude + "\"\n";
  for (uint64_t seed : seeds)
    text += "\n// Seed " + std::to_string(seed) + "\n" + kernelSource(seed);
  return text;
}

} // namespace differential
