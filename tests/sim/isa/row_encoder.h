// A representative encoding of a row of the encoding table.
//
// Written from the formats' layouts, independently of the decoder, so that the
// two can disagree.
#pragma once

#include "runtime/hipsim/isa/encoding_table.h"

#include <vector>

namespace hipsim::test {

/// Every operand of the row gets a register of its own: destination 8 (scalar
/// 12), sources 16, 32 and 48, address 20, data 24 and 36, base 40.
std::vector<uint8_t> encodeRow(const Encoding &row);

} // namespace hipsim::test
