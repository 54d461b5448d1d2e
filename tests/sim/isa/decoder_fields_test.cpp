// Fields of known encodings: what the executor reads. The words are written by
// hand from the formats' layouts; the texts come from LLVM.
#include "runtime/hipsim/isa/instruction.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace hipsim;

static Instruction decoded(std::vector<uint32_t> words, Arch arch = Arch::Gfx942) {
  std::vector<uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  Instruction instruction;
  std::string error;
  const bool valid = decode(arch, bytes.data(), bytes.size(), 0, instruction, error);
  INFO(error);
  REQUIRE(valid);
  CHECK(size_t(instruction.size) == bytes.size());
  return instruction;
}

static void checkRegister(const Operand &operand, OperandKind kind, unsigned index, unsigned dwords) {
  CHECK(operand.kind == kind);
  CHECK(unsigned(operand.index) == index);
  CHECK(unsigned(operand.dwords) == dwords);
}

TEST_CASE("VOP2 names its registers") {
  const Instruction in = decoded({0x68020602}); // v_add_u32_e32 v1, s2, v3
  CHECK(in.op == Op::V_ADD_U32);
  CHECK(in.format == Format::VOP2);
  checkRegister(in.dst, OperandKind::Vgpr, 1, 1);
  checkRegister(in.src[0], OperandKind::Sgpr, 2, 1);
  checkRegister(in.src[1], OperandKind::Vgpr, 3, 1);
  CHECK(in.dst2.kind == OperandKind::None);
  CHECK(print(in, Arch::Gfx942) == "v_add_u32_e32 v1, s2, v3");
}

TEST_CASE("constants carry their bits and their code") {
  const Instruction one = decoded({0x7e0002f2}); // v_mov_b32 v0, 1.0
  CHECK(one.src[0].kind == OperandKind::Const);
  CHECK(one.src[0].value == 0x3f800000u);
  CHECK(one.src[0].code == 242);
  const Instruction negative = decoded({0x7e0002c1}); // code 193 is -1
  CHECK(negative.src[0].value == 0xffffffffu);
  const Instruction literal = decoded({0x7e0002ff, 0xdeadbeef});
  CHECK(literal.src[0].value == 0xdeadbeefu);
  CHECK(literal.src[0].code == 255);
  CHECK(unsigned(literal.size) == 8);
}

TEST_CASE("a literal past the end of the text is refused") {
  const uint32_t word = 0x7e0002ff;
  Instruction instruction;
  std::string error;
  CHECK_FALSE(decode(Arch::Gfx942, reinterpret_cast<const uint8_t *>(&word), 4, 0, instruction, error));
  CHECK(error == ".text+0x0: 0x7e0002ff is not an instruction of gfx942 that the simulator knows, "
                 "or it continues past the end of .text");
}

TEST_CASE("a pc past the end of the text is refused") {
  const uint32_t word = 0xbf810000;
  Instruction instruction;
  std::string error;
  CHECK_FALSE(decode(Arch::Gfx942, reinterpret_cast<const uint8_t *>(&word), 4, 8, instruction, error));
  CHECK(error == ".text ends at byte 0x4, expected an instruction at 0x8");
}

TEST_CASE("compares write dst2, vcc when it is implicit") {
  const Instruction shortForm = decoded({0x7d840401}); // v_cmp_eq_i32_e32 vcc, s1, v2
  CHECK(shortForm.op == Op::V_CMP_EQ_I32);
  CHECK(shortForm.dst.kind == OperandKind::None);
  checkRegister(shortForm.dst2, OperandKind::Sgpr, 106, 2);
  const Instruction longForm = decoded({0xd0c20004, 0x00020501}); // ..._e64 s[4:5], v1, v2
  checkRegister(longForm.dst2, OperandKind::Sgpr, 4, 2);
}

TEST_CASE("carries: dst2 out, src[2] in") {
  const Instruction shortForm = decoded({0x38020602}); // v_addc_co_u32_e32 v1, vcc, s2, v3, vcc
  CHECK(shortForm.op == Op::V_ADDC_CO_U32);
  checkRegister(shortForm.dst2, OperandKind::Sgpr, 106, 2);
  checkRegister(shortForm.src[2], OperandKind::Sgpr, 106, 2);
  const Instruction select = decoded({0x00020602}); // v_cndmask_b32_e32 v1, s2, v3, vcc
  CHECK(select.dst2.kind == OperandKind::None);
  checkRegister(select.src[2], OperandKind::Sgpr, 106, 2);
}

TEST_CASE("v_fmamk and v_fmaak keep the order of the formula") {
  const Instruction mk = decoded({0x2e020602, 0x40490fdb}); // v1 = s2 * K + v3
  CHECK(mk.op == Op::V_FMAMK_F32);
  CHECK(mk.src[1].value == 0x40490fdbu);
  checkRegister(mk.src[2], OperandKind::Vgpr, 3, 1);
  const Instruction ak = decoded({0x30020602, 0x40490fdb}); // v1 = s2 * v3 + K
  CHECK(ak.op == Op::V_FMAAK_F32);
  checkRegister(ak.src[1], OperandKind::Vgpr, 3, 1);
  CHECK(ak.src[2].value == 0x40490fdbu);
}

TEST_CASE("SDWA selects bytes and words") {
  // v_add_f32_sdwa v1, -v2, |v3| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:DWORD
  const Instruction in = decoded({0x020206f9, 0x26121502});
  CHECK(in.sdwa);
  CHECK(unsigned(in.dstSel) == 5);
  CHECK(unsigned(in.dstUnused) == 2);
  CHECK(unsigned(in.src[0].sel) == 2);
  CHECK(in.src[0].neg);
  CHECK(unsigned(in.src[1].sel) == 6);
  CHECK(in.src[1].abs);
}

TEST_CASE("DPP carries its control and masks") {
  const Instruction in = decoded({0x7e0202fa, 0xaf090102}); // row_shl:1 bound_ctrl row 0xa bank 0xf
  CHECK(in.dpp == DppKind::Dpp16);
  CHECK(in.dppCtrl == 0x101);
  CHECK(in.boundCtrl);
  CHECK(unsigned(in.rowMask) == 0xa);
  CHECK(unsigned(in.bankMask) == 0xf);
  checkRegister(in.src[0], OperandKind::Vgpr, 2, 1);
}

TEST_CASE("v_bitop3 keeps its truth table") {
  // omod:abs:neg = 2:1:5 is 0b10'001'101.
  const Instruction in = decoded({0xd2340101, 0xb40e0702}, Arch::Gfx950);
  CHECK(in.op == Op::V_BITOP3_B32);
  CHECK(in.imm == 0x8d);
  CHECK_FALSE(in.src[0].neg);
}

TEST_CASE("matrix operations: accumulation bits, formats and scales") {
  // v_mfma_f32_32x32x8_bf16 a[0:15], v[2:3], v[4:5], a[0:15]
  const Instruction plain = decoded({0xd3e08000, 0x04020902});
  CHECK(plain.op == Op::V_MFMA_F32_32X32X8_BF16);
  CHECK(plain.format == Format::MFMA);
  checkRegister(plain.dst, OperandKind::Agpr, 0, 16);
  checkRegister(plain.src[0], OperandKind::Vgpr, 2, 2);
  checkRegister(plain.src[2], OperandKind::Agpr, 0, 16);
  // Scaled; fp4 (4) for A takes 4 registers, fp8 (0) for B takes 8.
  const Instruction scaled =
      decoded({0xd3ac0800, 0x10023318, 0xd3ad0c00, 0x04022108}, Arch::Gfx950);
  CHECK(scaled.op == Op::V_MFMA_SCALE_F32_16X16X128_F8F6F4);
  checkRegister(scaled.src[0], OperandKind::Vgpr, 8, 4);
  checkRegister(scaled.src[1], OperandKind::Vgpr, 16, 8);
  checkRegister(scaled.scale[0], OperandKind::Vgpr, 24, 1);
  checkRegister(scaled.scale[1], OperandKind::Vgpr, 25, 1);
  CHECK(unsigned(scaled.opSel) == 1);
  CHECK(unsigned(scaled.opSelHi) == 2);
  CHECK(unsigned(scaled.cbsz) == 4);
}

TEST_CASE("global memory: scalar base with a vector offset, or a vector address") {
  // global_load_dwordx4 v[4:7], v2, s[4:5] offset:-16 nt
  const Instruction based = decoded({0xdc5e9ff0, 0x04040002});
  CHECK(based.op == Op::GLOBAL_LOAD_DWORDX4);
  checkRegister(based.dst, OperandKind::Vgpr, 4, 4);
  checkRegister(based.vaddr, OperandKind::Vgpr, 2, 1);
  checkRegister(based.saddr, OperandKind::Sgpr, 4, 2);
  CHECK(based.offset == -16);
  CHECK(based.nt);
  const Instruction flat = decoded({0xdc5c8000, 0x047f0002});
  checkRegister(flat.vaddr, OperandKind::Vgpr, 2, 2);
  CHECK(flat.saddr.kind == OperandKind::None);
}

TEST_CASE("atomics return only with sc0") {
  // global_atomic_cmpswap v1, v[2:3], v[4:5], off sc0: compares and swaps.
  const Instruction returning = decoded({0xdd058000, 0x017f0402});
  CHECK(returning.op == Op::GLOBAL_ATOMIC_CMPSWAP);
  checkRegister(returning.dst, OperandKind::Vgpr, 1, 1);
  checkRegister(returning.data, OperandKind::Vgpr, 4, 2);
  CHECK(print(returning, Arch::Gfx942) == "global_atomic_cmpswap v1, v[2:3], v[4:5], off sc0");
  const Instruction silent = decoded({0xdd048000, 0x007f0402});
  CHECK(silent.dst.kind == OperandKind::None);
}

TEST_CASE("loads to LDS have no destination") {
  const Instruction global = decoded({0xdca88000, 0x007f0002}); // global_load_lds_dword
  CHECK(global.op == Op::GLOBAL_LOAD_LDS_DWORD);
  CHECK(global.lds);
  CHECK(global.dst.kind == OperandKind::None);
  const Instruction buffer = decoded({0xe0511004, 0x80010001}); // buffer_load_dword v1, s[4:7], 0 offen offset:4 lds
  CHECK(buffer.lds);
  CHECK(buffer.dst.kind == OperandKind::None);
  checkRegister(buffer.saddr, OperandKind::Sgpr, 4, 4);
  CHECK(buffer.soffset.kind == OperandKind::Const);
  CHECK(buffer.offset == 4);
}

TEST_CASE("LDS operations") {
  const Instruction two = decoded({0xd8ee0201, 0x04000002}); // ds_read2_b64 v[4:7], v2 offset0:1 offset1:2
  CHECK(two.op == Op::DS_READ2_B64);
  checkRegister(two.dst, OperandKind::Vgpr, 4, 4);
  CHECK(two.offset == 0x201);
  const Instruction accumulation = decoded({0xdbbe0000, 0x00000402}); // ds_write_b128 v2, a[4:7]
  CHECK(accumulation.op == Op::DS_WRITE_B128);
  checkRegister(accumulation.data, OperandKind::Agpr, 4, 4);
}

TEST_CASE("scalar loads: immediate, register, both") {
  const Instruction imm = decoded({0xc00a0102, 0x001ffff8}); // s_load_dwordx4 s[4:7], s[4:5], -0x8
  CHECK(imm.op == Op::S_LOAD_DWORDX4);
  CHECK(imm.offset == -8);
  checkRegister(imm.src[0], OperandKind::Sgpr, 4, 2);
  CHECK(imm.src[1].kind == OperandKind::None);
  const Instruction both = decoded({0xc00a4102, 0x10000010}); // ..., s8 offset:0x10
  checkRegister(both.src[1], OperandKind::Sgpr, 8, 1);
  CHECK(both.offset == 16);
}

TEST_CASE("SOPK and SOPP immediates are sign-extended") {
  const Instruction compare = decoded({0xb104fffe}); // s_cmpk_eq_i32 s4, 0xfffe
  CHECK(compare.op == Op::S_CMPK_EQ_I32);
  CHECK(compare.imm == -2);
  checkRegister(compare.src[0], OperandKind::Sgpr, 4, 1);
  CHECK(compare.dst.kind == OperandKind::None);
  const Instruction branch = decoded({0xbf82fff0});
  CHECK(branch.op == Op::S_BRANCH);
  CHECK(branch.imm == -16);
}

TEST_CASE("registers that do not exist are refused") {
  const auto refused = [](std::vector<uint32_t> words) {
    Instruction instruction;
    std::string error;
    return !decode(Arch::Gfx950, reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4, 0,
                   instruction, error);
  };
  CHECK(refused({0xbe8401d2}));             // s_mov_b64 s[4:5], reserved source 210
  CHECK(refused({0xbe840103}));             // s_mov_b64 s[4:5], s[3:4]: pairs are even
  CHECK(refused({0xdc5c8000, 0x057f0002})); // v[5:8]: tuples are even
  CHECK(refused({0xdc5c8000, 0xfe7f0002})); // v[254:257]
  CHECK(refused({0xd3ad0500, 0x04022108})); // f8f6f4 with format 5
}
