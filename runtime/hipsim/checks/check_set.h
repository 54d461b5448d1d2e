// Which checks a launch runs with, and the text of HIPSIM_CHECKS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hipsim {

/// Bits of a set of checks. README.md says what each one reports.
enum Check : uint32_t {
  CheckWaits = 1,
  CheckRaces = 2,
  CheckWeak = 4,
};

/// "all", "none" or names separated by commas, into a set. False: `error`
/// names the word that is not known and lists the known ones.
bool parseChecks(std::string_view text, uint32_t &set, std::string &error);

} // namespace hipsim
