// The names of the checks.
#include "runtime/hipsim/checks/check_set.h"

using namespace hipsim;

namespace {

struct NamedSet {
  const char *name;
  uint32_t set;
};
constexpr uint32_t implemented = CheckWaits | CheckRaces | CheckWeak;
constexpr NamedSet names[] = {
    {"waits", CheckWaits}, {"races", CheckRaces}, {"weak", CheckWeak},
    {"all", implemented},  {"none", 0},
};

} // namespace

bool hipsim::parseChecks(std::string_view text, uint32_t &set,
                         std::string &error) {
  uint32_t result = 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    const NamedSet *found = nullptr;
    std::string known;
    for (const NamedSet &candidate : names) {
      if (word == candidate.name)
        found = &candidate;
      known += (known.empty() ? "" : ", ") + std::string(candidate.name);
    }
    if (!found) {
      error = "'" + std::string(word) + "' is not a check (" + known + ")";
      return false;
    }
    result |= found->set;
  }
  set = result;
  return true;
}
