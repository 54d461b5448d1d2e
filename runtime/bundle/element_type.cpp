// The table of element types; see element_type.h.
#include "runtime/bundle/element_type.h"

namespace moec {
namespace {

struct ElementType {
  const char *name;
  uint32_t bytes;
};
constexpr ElementType elementTypes[] = {
    {"bf16", 2}, {"f16", 2}, {"f32", 4}, {"i32", 4}, {"i64", 8}, {"f64", 8},
};

} // namespace

uint32_t elementBytes(std::string_view dtype) {
  for (const ElementType &type : elementTypes)
    if (dtype == type.name)
      return type.bytes;
  return 0;
}

std::string elementTypeNames() {
  std::string names;
  for (const ElementType &type : elementTypes)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

} // namespace moec
