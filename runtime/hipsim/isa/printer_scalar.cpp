// Immediates with a syntax of their own: wait counters, hardware registers,
// messages, index modes and branch distances.
#include "runtime/hipsim/isa/printer_operands.h"

namespace hipsim::printer {
namespace {

struct Name {
  unsigned number;
  const char *text;
};

template <size_t count>
const char *findName(const Name (&names)[count], unsigned number) {
  for (const Name &name : names)
    if (name.number == number)
      return name.text;
  return nullptr;
}

constexpr Name hardwareRegisters[] = {
    {1, "HW_REG_MODE"},      {2, "HW_REG_STATUS"},     {3, "HW_REG_TRAPSTS"},
    {4, "HW_REG_HW_ID"},     {5, "HW_REG_GPR_ALLOC"},  {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},    {15, "HW_REG_SH_MEM_BASES"},
    {16, "HW_REG_TBA_LO"},   {17, "HW_REG_TBA_HI"},    {18, "HW_REG_TMA_LO"},
    {19, "HW_REG_TMA_HI"},   {20, "HW_REG_XCC_ID"},
    {21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"},  {22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"},
    {23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"}, {24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"},
};

constexpr Name messages[] = {
    {1, "MSG_INTERRUPT"},      {4, "MSG_SAVEWAVE"},
    {5, "MSG_STALL_WAVE_GEN"}, {6, "MSG_HALT_WAVES"},
    {7, "MSG_ORDERED_PS_DONE"}, {8, "MSG_EARLY_PRIM_DEALLOC"},
    {9, "MSG_GS_ALLOC_REQ"},   {10, "MSG_GET_DOORBELL"},
};

constexpr Name systemMessages[] = {
    {1, "SYSMSG_OP_ECC_ERR_INTERRUPT"}, {2, "SYSMSG_OP_REG_RD"},
    {3, "SYSMSG_OP_HOST_TRAP_ACK"},     {4, "SYSMSG_OP_TTRACE_PC"},
};

constexpr Name geometryMessages[] = {
    {0, "GS_OP_NOP"}, {1, "GS_OP_CUT"}, {2, "GS_OP_EMIT"}, {3, "GS_OP_EMIT_CUT"}};

std::string waitCounters(unsigned imm) {
  constexpr unsigned maxVm = 63, maxExp = 7, maxLgkm = 15;
  const unsigned vm = (imm & 15) | (imm >> 14 & 3) << 4;
  const unsigned exp = imm >> 4 & 7, lgkm = imm >> 8 & 15;
  const bool allMax = vm == maxVm && exp == maxExp && lgkm == maxLgkm;
  std::string text; // A counter at its maximum waits for nothing.
  const auto add = [&](const char *name, unsigned value, unsigned max) {
    if (allMax || value != max)
      text += std::string(text.empty() ? "" : " ") + name + "(" + std::to_string(value) + ")";
  };
  add("vmcnt", vm, maxVm);
  add("expcnt", exp, maxExp);
  add("lgkmcnt", lgkm, maxLgkm);
  return text;
}

std::string hardwareRegister(unsigned imm) {
  const unsigned id = imm & 63, offset = imm >> 6 & 31, width = (imm >> 11 & 31) + 1;
  const char *name = findName(hardwareRegisters, id);
  std::string text = "hwreg(" + (name ? std::string(name) : std::to_string(id));
  if (offset != 0 || width != 32)
    text += ", " + std::to_string(offset) + ", " + std::to_string(width);
  return text + ")";
}

std::string message(unsigned imm) {
  const unsigned id = imm & 15, operation = imm >> 4 & 7, stream = imm >> 8 & 3;
  if (imm >> 10 != 0 || (imm & 0x80) != 0)
    return std::to_string(imm);
  const std::string raw = "sendmsg(" + std::to_string(id) + ", " +
                          std::to_string(operation) + ", " + std::to_string(stream) + ")";
  constexpr unsigned gs = 2, gsDone = 3, system = 15;
  if ((id == gs && operation >= 1 && operation <= 3) || (id == gsDone && operation <= 3)) {
    if (operation == 0 && stream != 0)
      return raw;
    return std::string("sendmsg(") + (id == gs ? "MSG_GS, " : "MSG_GS_DONE, ") +
           findName(geometryMessages, operation) +
           (operation ? ", " + std::to_string(stream) : "") + ")";
  }
  if (id == system && stream == 0)
    if (const char *name = findName(systemMessages, operation))
      return std::string("sendmsg(MSG_SYSMSG, ") + name + ")";
  const char *name = findName(messages, id);
  return name && operation == 0 && stream == 0 ? std::string("sendmsg(") + name + ")" : raw;
}

std::string indexMode(unsigned imm) {
  if (imm > 15)
    return hexadecimal(imm);
  static constexpr const char *names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if (imm >> i & 1)
      text += std::string(text.empty() ? "" : ",") + names[i];
  return "gpr_idx(" + text + ")";
}

} // namespace

std::string scalarImmediate(const Instruction &instruction) {
  const unsigned imm = unsigned(instruction.imm) & 0xffff;
  switch (instruction.op) {
  case Op::S_WAITCNT:
    return waitCounters(imm);
  case Op::S_GETREG_B32:
  case Op::S_SETREG_B32:
  case Op::S_SETREG_IMM32_B32:
    return hardwareRegister(imm);
  case Op::S_SENDMSG:
  case Op::S_SENDMSGHALT:
    return message(imm);
  case Op::S_SET_GPR_IDX_ON:
  case Op::S_SET_GPR_IDX_MODE:
    return indexMode(imm);
  case Op::S_ENDPGM:
  case Op::S_BRANCH:
  case Op::S_CALL_B64:
  case Op::S_CBRANCH_I_FORK:
    return std::to_string(imm);
  default:
    break;
  }
  if (instruction.format == Format::SOPK)
    return hexadecimal(imm);
  const bool isBranch = std::string(mnemonic(instruction.op)).starts_with("s_cbranch");
  return isBranch ? std::to_string(imm) : integer(imm);
}

} // namespace hipsim::printer
