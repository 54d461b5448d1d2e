// Decoders of the vector memory formats: DS, MUBUF, FLAT, GLOBAL, SCRATCH.
#include "runtime/hipsim/isa/decoder_fields.h"

namespace hipsim::decoder {
namespace {

bool dataRegister(bool accumulation, unsigned index, unsigned dwords, Operand &out) {
  return accumulation ? agpr(index, dwords, out) : vgpr(index, dwords, out);
}

} // namespace

bool decodeDataShare(Context &context) {
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  const bool accumulation = bits(context.word0, 25, 1);
  out.offset = int32_t(bits(context.word0, 0, 16));
  out.gds = bits(context.word0, 16, 1);
  if (out.gds != encoding.needsGds) // Neither architecture has a GDS to address.
    return false;
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Vaddr:
      // The global wave sync operations pass data in the address field.
      valid = dataRegister(accumulation && encoding.needsGds,
                           bits(context.word1, 0, 8), slot.dwords, out.vaddr);
      break;
    case SlotRole::Data:
      valid = dataRegister(accumulation, bits(context.word1, 8, 8), slot.dwords, out.data);
      break;
    case SlotRole::Data1:
      valid = dataRegister(accumulation, bits(context.word1, 16, 8), slot.dwords, out.data1);
      break;
    case SlotRole::Dst:
      valid = dataRegister(accumulation, bits(context.word1, 24, 8), slot.dwords, out.dst);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  return true;
}

bool decodeBuffer(Context &context) {
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  const bool accumulation = bits(context.word1, 23, 1);
  const unsigned data = bits(context.word1, 8, 8);
  out.offset = int32_t(bits(context.word0, 0, 12));
  out.offen = bits(context.word0, 12, 1);
  out.idxen = bits(context.word0, 13, 1);
  out.sc0 = bits(context.word0, 14, 1);
  out.sc1 = bits(context.word0, 15, 1);
  out.lds = bits(context.word0, 16, 1);
  out.nt = bits(context.word0, 17, 1);
  if (out.lds && !encoding.hasLds)
    return false;
  if (encoding.returnDwords && out.sc0 &&
      !dataRegister(accumulation, data, encoding.returnDwords, out.dst))
    return false;
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst:
      valid = out.lds || dataRegister(accumulation, data, slot.dwords, out.dst);
      break;
    case SlotRole::Data:
      valid = dataRegister(accumulation, data, slot.dwords, out.data);
      break;
    case SlotRole::Vaddr: // Index, then offset.
      if (out.offen || out.idxen)
        valid = vgpr(bits(context.word1, 0, 8), unsigned(out.offen) + out.idxen, out.vaddr);
      break;
    case SlotRole::Base:
      valid = sgpr(bits(context.word1, 16, 5) * 4, slot.dwords, out.saddr);
      break;
    case SlotRole::Offset:
      valid = source(context, bits(context.word1, 24, 8), slot, false, out.soffset);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  return true;
}

namespace {

constexpr unsigned noSaddr = 0x7f;

/// vaddr and saddr of the three segments; sets neither where it is "off".
bool flatAddress(Context &context, const OperandSlot &slot) {
  Instruction &out = context.out;
  const unsigned saddr = bits(context.word1, 16, 7);
  const bool hasSaddr = out.format != Format::FLAT && saddr != noSaddr;
  if (slot.role == SlotRole::Base)
    return !hasSaddr || sgpr(saddr, out.format == Format::SCRATCH ? 1 : 2, out.saddr);
  const bool hasVaddr = out.format != Format::SCRATCH || bits(context.word0, 13, 1);
  // With a scalar base the vector part is a 32-bit offset.
  const unsigned dwords = out.format == Format::GLOBAL && hasSaddr ? 1 : slot.dwords;
  return !hasVaddr || vgpr(bits(context.word1, 0, 8), dwords, out.vaddr);
}

} // namespace

bool decodeFlat(Context &context) {
  const Encoding &encoding = *context.encoding;
  Instruction &out = context.out;
  const bool accumulation = bits(context.word1, 23, 1);
  const uint32_t offset = bits(context.word0, 0, 13);
  out.offset = out.format == Format::FLAT ? int32_t(offset) : signExtend(offset, 13);
  out.sc0 = bits(context.word0, 16, 1);
  out.nt = bits(context.word0, 17, 1);
  out.sc1 = bits(context.word0, 25, 1);
  if (out.format != Format::SCRATCH && bits(context.word0, 13, 1))
    return false;
  if (encoding.returnDwords && out.sc0 &&
      !dataRegister(accumulation, bits(context.word1, 24, 8), encoding.returnDwords, out.dst))
    return false;
  // An operation that goes to LDS names no register: no slot of its row is a
  // destination.
  out.lds = !encoding.find(SlotRole::Dst) && !encoding.find(SlotRole::Data);
  for (unsigned i = 0; i < encoding.slotCount; ++i) {
    const OperandSlot &slot = encoding.slots[i];
    bool valid = true;
    switch (slot.role) {
    case SlotRole::Dst:
      valid = dataRegister(accumulation, bits(context.word1, 24, 8), slot.dwords, out.dst);
      break;
    case SlotRole::Data:
      valid = dataRegister(accumulation, bits(context.word1, 8, 8), slot.dwords, out.data);
      break;
    case SlotRole::Vaddr:
    case SlotRole::Base:
      valid = flatAddress(context, slot);
      break;
    default:
      return false;
    }
    if (!valid)
      return false;
  }
  return true;
}

} // namespace hipsim::decoder
