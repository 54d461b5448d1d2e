// Random expressions of a given type over what is in scope.
#pragma once

#include "tests/sim/differential/types.h"

namespace differential {

/// Something with a name that an expression may read.
struct Variable {
  std::string text; ///< "s->v3", "t5", "a0[i & 7]" ..
  const Type *type;
};

/// What may be read at a place of a kernel, besides variables.
struct Scope {
  std::vector<Variable> variables;
  std::vector<std::string> arrays;    ///< u32 arrays of 8 in private memory.
  std::vector<std::string> functions; ///< u32 f(u32, f32, u64), not inlined.
  bool ldsReadable = false;
  bool ownReadable = true;
};

class Expressions {
public:
  Expressions(Random &random, Scope &scope) : random(random), scope(scope) {}

  std::string of(const Type &type, int depth);
  /// An int that is 0 or 1.
  std::string condition(int depth);

private:
  std::string leaf(const Type &type);
  std::string literal(const Type &type);
  std::string integer(const Type &type, int depth);
  std::string integerCall(const Type &type, int depth);
  std::string memoryRead(const Type &type, int depth);
  std::string machine(int depth);
  std::string floating(const Type &type, int depth);
  std::string floatCall(const Type &type, int depth);
  std::string floatFrom(const Type &type, int depth);
  std::string brain(int depth);
  std::string vector(const Type &type, int depth);
  std::string vectorFrom(const Type &type, int depth);
  std::string element(const Type &scalar, int depth);
  std::string u32Of(int depth) { return of(typeOf("u32"), depth); }
  const char *pick(std::initializer_list<const char *> choices) {
    return choices.begin()[random.below(uint32_t(choices.size()))];
  }

  Random &random;
  Scope &scope;
};

} // namespace differential
