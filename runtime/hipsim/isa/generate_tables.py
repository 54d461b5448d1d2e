#!/usr/bin/env python3
"""Writes ops.def and encodings_*.def by asking LLVM's disassembler.

A developer's tool: the build uses the checked-in output. Every opcode of every
format is disassembled for both architectures with a different register number
in each field; the text says the mnemonic, the order of the operands, their
widths and register classes. Nothing here is copied from LLVM's sources.

Usage:  generate_tables.py [--llvm-mc llvm-mc-22] [--out DIRECTORY]
Then review the diff and run the tests of tests/sim/isa.

A row is
    HIPSIM_ENCODING(format, opcode, Op, Archs, "flags", "operands")
flags:
    s   LLVM prints the encoding suffix (_e32, _e64)
    p   has a DPP form        B   VOP3B: bits 14:8 are a scalar destination
    2   DS: two 8-bit offsets g   DS: the gds bit must be set
    o3  op_sel is printed with 3 entries (o4: 4)
    a1  an atomic that returns that many dwords when sc0 is set
    n   VOP3P without op_sel
    l   may load to LDS       x   MFMA with a scale prefix
    z   an immediate of zero is not printed
operands, in printed order: role, width in dwords, then type letters.
    roles  d destination, e second destination, a b c sources, V implicit vcc,
           k literal, i 16-bit immediate, v vaddr, t data, u data1,
           r srsrc or saddr, o offset (SMEM) or soffset (MUBUF)
    types  v only vector registers, s only scalar registers,
           g only accumulation registers,
           q 64-bit constants, f f64 literals, h f16 constants, j i16 constants
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import subprocess

ARCHES = ("gfx942", "gfx950")
MARKER = ("[0xee 0x0b 0x80 0xbf]", "s_nop 0xbee")
LLVM_MC = "llvm-mc-22"
MAX_CHUNK = 1000


def words(*dwords):
    return b"".join((d & 0xFFFFFFFF).to_bytes(4, "little") for d in dwords)


def disassemble_chunk(arch, encodings):
    """The text of each encoding, None where LLVM sees no valid instruction."""
    lines = []
    for encoding in encodings:
        lines.append("[" + " ".join("0x%02x" % b for b in encoding) + "]")
        lines.append(MARKER[0])
    result = subprocess.run(
        [LLVM_MC, "-disassemble", "-triple=amdgcn", "-mcpu=" + arch, "-show-encoding"],
        input="\n".join(lines) + "\n", capture_output=True, text=True)  # Exits with 1 when any was invalid.
    texts, current = [], []
    for line in result.stdout.splitlines():
        if "; encoding:" not in line:
            continue
        text, encoding = line.split("; encoding:")
        text = " ".join(text.split())
        if text == MARKER[1]:
            texts.append(current)
            current = []
        else:
            current.append((text, encoding.count("0x")))
    if len(texts) != len(encodings):  # LLVM 22 crashes on a few invalid encodings.
        if len(encodings) == 1:
            return [None]
        half = len(encodings) // 2
        return disassemble_chunk(arch, encodings[:half]) + disassemble_chunk(arch, encodings[half:])
    valid = lambda e, t: len(t) == 1 and t[0][1] == len(e) and "Invalid" not in t[0][0]
    return [t[0][0] if valid(e, t) else None for e, t in zip(encodings, texts)]


def disassemble(arch, encodings):
    texts = []
    for start in range(0, len(encodings), MAX_CHUNK):
        texts += disassemble_chunk(arch, encodings[start:start + MAX_CHUNK])
    return texts


def vgpr(n):
    return 256 + n


def split_operands(text):
    """Mnemonic, operands and trailing modifiers of a line of assembly."""
    mnemonic, _, rest = text.partition(" ")
    parts, depth, start = [], 0, 0
    for i, c in enumerate(rest):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(rest[start:i].strip())
            start = i + 1
    if rest[start:].strip():
        parts.append(rest[start:].strip())
    modifiers = ""
    if parts:
        last, _, modifiers = parts[-1].partition(" ")
        # A modifier may stand where an operand would, after only commas.
        parts[-1] = last
    return mnemonic, parts, modifiers


REGISTER = re.compile(r"^[|-]?([vsa])(?:(\d+)|\[(\d+):(\d+)\])\|?$")


def parse_register(text):
    """(class, first, width) or None."""
    match = REGISTER.match(text)
    if not match:
        return None
    if match[2]:
        return match[1], int(match[2]), 1
    return match[1], int(match[3]), int(match[4]) - int(match[3]) + 1


def signature(operands, roles):
    """Operand tokens; roles: (class or None, first register) -> role."""
    tokens = []
    for operand in operands:
        if operand == "vcc":
            tokens.append("V")
            continue
        register = parse_register(operand)
        if not register:
            tokens.append(roles.get(operand, "?" + operand))
            continue
        kind, first, width = register
        role = roles.get((kind, first)) or roles.get((None, first))
        suffix = "g" if kind == "a" else "s" if kind == "s" and role == "d" else ""
        tokens.append(f"{role or '?' + operand}{width}{suffix}")
    return tokens


class Table:
    def __init__(self):
        self.rows = {}  # (format, opcode, op, flags, operands) -> set of archs

    def add(self, arch, fmt, opcode, mnemonic, flags, tokens):
        assert not any(t.startswith("?") for t in tokens), (arch, fmt, opcode, mnemonic, tokens)
        key = (fmt, opcode, mnemonic, flags, " ".join(tokens))
        self.rows.setdefault(key, set()).add(arch)


def base_mnemonic(text):
    mnemonic = text.split()[0]
    base = re.sub(r"_(e32|e64|dpp|sdwa)$", "", mnemonic)
    return base, "s" if base != mnemonic else ""


def first_valid(arch, count, variants):
    """For every opcode the first variant LLVM accepts, as (opcode, variant, text)."""
    table = [(op, v, encode(op)) for op in range(count) for v, encode in enumerate(variants)]
    found = {}
    for (op, v, _), text in zip(table, disassemble(arch, [e for _, _, e in table])):
        if text and op not in found:
            found[op] = (v, text)
    return [(op, v, text) for op, (v, text) in sorted(found.items())]


def constant_types(arch, rows, fill):
    """Type letter of the source slot that fill(key, code) fills, by key.

    A slot of 64 bits prints 1/(2 pi) longer; 16-bit integers refuse 0.5."""
    texts = disassemble(arch, [fill(k, c) for k in rows for c in (248, 240, 208)])
    types = {}
    for i, key in enumerate(rows):
        long_form, half, sixteen = texts[3 * i:3 * i + 3]
        if long_form and "0.15915494309189532" in long_form:
            types[key] = "q"
        elif sixteen and (not half or "0x3800" in half):
            types[key] = "j"
        else:
            types[key] = ""
    return types


# --- scalar formats ----------------------------------------------------------

SCALAR_ROLES = {(None, 10): "d", (None, 20): "a", (None, 30): "b"}


def scalar_tokens(operands):
    return [t + "q" if re.match("[ab]2$", t) else t for t in signature(operands, SCALAR_ROLES)]


def scalar(table, arch):
    for op, _, text in first_valid(arch, 96, [lambda o: words(2 << 30 | o << 23 | 10 << 16 | 30 << 8 | 20),
                                              lambda o: words(2 << 30 | o << 23 | 30 << 8 | 20)]):
        _, operands, _ = split_operands(text)
        table.add(arch, "SOP2", op, base_mnemonic(text)[0], "", scalar_tokens(operands))
    for op, _, text in first_valid(arch, 256, [lambda o: words(0xBE800000 | 10 << 16 | o << 8 | 20),
                                               lambda o: words(0xBE800000 | 10 << 16 | o << 8),
                                               lambda o: words(0xBE800000 | o << 8 | 20)]):
        _, operands, _ = split_operands(text)
        table.add(arch, "SOP1", op, base_mnemonic(text)[0], "", scalar_tokens(operands))
    for op, _, text in first_valid(arch, 128, [lambda o: words(0xBF000000 | o << 16 | 30 << 8 | 20),
                                               lambda o: words(0xBF000000 | o << 16 | 5 << 8 | 20)]):
        mnemonic, operands, _ = split_operands(text)
        tokens = ["a1", "i"] if mnemonic == "s_set_gpr_idx_on" else scalar_tokens(operands)
        table.add(arch, "SOPC", op, mnemonic, "", tokens)
    for op, _, text in first_valid(arch, 29, [lambda o: words(0xB0000000 | o << 23 | 10 << 16 | 0x1234),
                                              lambda o: words(0xB0000000 | o << 23 | 10 << 16 | 0x1801),
                                              lambda o: words(0xB0000000 | o << 23 | 0x1801, 0x12345)]):
        mnemonic, operands, _ = split_operands(text)
        reads = mnemonic.startswith(("s_cmpk", "s_setreg", "s_cbranch"))
        register = ("a" if reads else "d")
        tokens = []
        for operand in operands:
            parsed = parse_register(operand)
            tokens.append(register + str(parsed[2]) if parsed else
                          "k" if operand == "0x12345" else "i")
        table.add(arch, "SOPK", op, mnemonic, "", tokens)
    for op, _, text in first_valid(arch, 128, [lambda o: words(0xBF800000 | o << 16 | 1),
                                               lambda o: words(0xBF800000 | o << 16)]):
        mnemonic, operands, _ = split_operands(text)
        # Zero is the default of s_endpgm and friends and is then not printed.
        zero = disassemble(arch, [words(0xBF800000 | op << 16)])[0]
        flags = "" if zero is None or split_operands(zero)[1] else "z" if operands else ""
        table.add(arch, "SOPP", op, mnemonic, flags, ["i"] if operands else [])
    variants = [lambda o: words(0xC0020000 | o << 18 | 40 << 6 | 10, 0x10),
                lambda o: words(0xC0020000 | o << 18 | 1 << 16 | 40 << 6 | 10, 0x10),
                lambda o: words(0xC0000000 | o << 18 | 40 << 6, 0),
                lambda o: words(0xC0000000 | o << 18, 0)]
    for op, _, text in first_valid(arch, 256, variants):
        mnemonic, operands, _ = split_operands(text)
        data = "d" if re.search("load|time", mnemonic) else "t"
        tokens = []
        for i, operand in enumerate(operands):
            parsed = parse_register(operand)
            if parsed and parsed[1] == 40:
                tokens.append(data + str(parsed[2]))
            elif parsed:
                tokens.append("a" + str(parsed[2]))
            else:
                tokens.append("o" if operand == "0x10" or operand.startswith("s") else "i")
        table.add(arch, "SMEM", op, mnemonic, "", tokens)


# --- vector formats ----------------------------------------------------------

def short_vector(table, arch):
    """VOP1, VOP2, VOPC: 32-bit encodings and which have DPP and SDWA forms."""
    roles = {(None, 10): "d", (None, 20): "a", (None, 30): "b"}
    formats = {
        "VOP1": (256, lambda o, s, d=10: 0x7E000000 | d << 17 | o << 9 | s),
        "VOP2": (62, lambda o, s, d=10: o << 25 | d << 17 | 30 << 9 | s),
        "VOPC": (256, lambda o, s, d=10: 0x7C000000 | o << 17 | 30 << 9 | s),
    }
    for fmt, (count, encode) in formats.items():
        variants = [lambda o: words(encode(o, vgpr(20))), lambda o: words(encode(o, 20)),
                    lambda o: words(encode(o, 0, 0)), lambda o: words(encode(o, vgpr(20)), 0x12345678)]
        if fmt == "VOP2":
            variants = variants[:1] + variants[3:]
        found = first_valid(arch, count, variants)
        ops = [op for op, _, _ in found]
        tail = {op: [0x12345678] if v == len(variants) - 1 else [] for op, v, _ in found}
        types = constant_types(arch, ops, lambda op, c: words(encode(op, c), *tail[op]))
        scalars = disassemble(arch, [words(encode(op, 20), *tail[op]) for op in ops])
        halves = disassemble(arch, [words(encode(op, 255), 0x12345) for op in ops])
        fives = disassemble(arch, [words(encode(op, 255), 5) for op in ops])
        # The fp8 conversions have an SDWA form without dst_sel.
        sel1 = 0 if fmt == "VOP1" else 0x06000000
        sdwa, sdwa_source = (disassemble(arch, [words(encode(op, 0xF9), sel1 | low | 20) for op in ops])
                             for low in (0x060000 if fmt == "VOPC" else 0x060600, 0x000600))
        dpp = disassemble(arch, [words(encode(op, 0xFA), 0xFF000000 | 0x0101 << 8 | 20) for op in ops])
        for i, (op, variant, text) in enumerate(found):
            _, operands, _ = split_operands(text)
            base, flags = base_mnemonic(text)
            flags += "p" if dpp[i] and "row" in dpp[i] else ""
            with_sdwa = sdwa[i] or sdwa_source[i] or ""
            flags += ("" if "sel" not in with_sdwa else
                      "w" if fmt == "VOPC" or "dst_sel" in with_sdwa else "W")
            tokens = []
            for operand in operands:
                if re.match("0x(5678|12345678)$", operand):
                    tokens.append("k")
                    continue
                (token,) = signature([operand], roles)
                if token.startswith("a"):
                    half = halves[i] and re.search(r"0x2345\b", halves[i])
                    is_double = types[op] == "q" and fives[i] and "lit(" not in fives[i]
                    token += "f" if is_double else types[op] or ("h" if half else "")
                    token += "v" if not scalars[i] else ""
                tokens.append(token)
            table.add(arch, fmt, op, base, flags, tokens)


def long_vector(table, arch):
    roles = {("v", 10): "d", ("s", 10): "d", (None, 20): "a", (None, 30): "b", (None, 40): "c",
             ("s", 50): "e"}

    def encode(op, a, b, c, low=0):
        return words(0xD0000000 | op << 16 | low | 10, a | b << 9 | c << 18)

    shapes = [s for s in itertools.product((vgpr(20), 20, 0), (vgpr(30), 30, 0), (vgpr(40), 40, 0))]
    # The shape that names most operands wins; vector registers before scalar.
    rank = lambda s: sum(0 if x >= 256 else 10 if x == 0 else 1 for x in s)
    shapes.sort(key=rank)
    variants = [lambda o, s=s: encode(o, *s) for s in shapes]
    variants.append(lambda o: words(0xD0000000 | o << 16, 0))
    found = first_valid(arch, 0x380, variants)
    keys, fills, sels = [], [], []
    for op, v, text in found:
        shape = shapes[v] if v < len(shapes) else (0, 0, 0)
        sels += [encode(op, *shape, low=bit << 11) for bit in (1, 8)]
    op_sel = disassemble(arch, sels)
    carry = disassemble(arch, [encode(op, *(shapes[v] if v < len(shapes) else (0, 0, 0)), low=50 << 8)
                               for op, v, _ in found])
    typed, slots = {}, []
    for op, v, _ in found:
        if v < len(shapes):
            slots += [(op, v, i) for i in range(3)]

    def fill(slot, code):
        op, v, i = slot
        s = list(shapes[v])
        s[i] = code
        return encode(op, *s)

    types = constant_types(arch, slots, fill)
    scalar_ok = dict(zip(slots, disassemble(arch, [fill(s, 10) for s in slots])))
    for i, (op, v, text) in enumerate(found):
        base, flags = base_mnemonic(text)
        _, operands, _ = split_operands(text)
        if carry[i] and re.search(r"s\[50:51\]", carry[i]):
            _, operands, _ = split_operands(carry[i])
            flags += "B"
        else:
            match = re.search(r"op_sel:\[([0-9,]*)\]", (op_sel[2 * i] or "") + (op_sel[2 * i + 1] or ""))
            flags += "o%d" % (match[1].count(",") + 1) if match else ""
        tokens = []
        for token in signature([o for o in operands if not o.startswith("bitop3")], roles):
            slot = "abc".find(token[0])
            if slot >= 0 and (op, v, slot) in types:
                token += types[op, v, slot]
                if shapes[v][slot] < 256:
                    token += "s"
                elif not scalar_ok[op, v, slot]:
                    token += "v"
            tokens.append(token)
        table.add(arch, "VOP3", op, base, flags, tokens)


def packed(table, arch):
    roles = {(None, 8): "d", (None, 32): "a", (None, 64): "b", (None, 96): "c"}

    def encode(op, a, b, c, low=0x4000, high=3 << 27):
        return words(0xD3800000 | op << 16 | 8 | low, a | b << 9 | c << 18 | high)

    shapes = [(vgpr(32), vgpr(64), vgpr(96)), (vgpr(32), vgpr(64), 0), (vgpr(32), 0, 0)]
    modes = [(0x4000, 3 << 27), (0, 0), (0, 1 << 27)]
    variants = [lambda o, s=s, m=m: encode(o, *s, *m) for s in shapes for m in modes]
    # The matrix operations share the opcodes; op_sel_hi means something else there.
    mai_modes = [(0, 0), (0, 1 << 27)]
    mai = [lambda o, s=s, m=m: encode(o, *s, *m) for s in shapes for m in mai_modes]
    matrix = {op: (v, text) for op, v, text in first_valid(arch, 128, mai)
              if text.startswith(("v_mfma_f", "v_mfma_i", "v_smfmac", "v_accvgpr"))}
    found = [(op, shapes[v // len(modes)], modes[v % len(modes)], text)
             for op, v, text in first_valid(arch, 64, variants)
             if op not in matrix and not text.startswith("v_mfma")]
    selected = disassemble(arch, [encode(op, *shape, mode[0] | 1 << 11, mode[1]) for op, shape, mode, _ in found])
    without_op_sel = {f[0] for f, t in zip(found, selected) if not t or "op_sel" not in t}
    found += [(op, shapes[v // 2], mai_modes[v % 2], text) for op, (v, text) in sorted(matrix.items())]

    def fill(slot, code):
        shape, mode, op, i = slot
        return encode(op, *shape[:i], code, *shape[i + 1:], *mode)

    slots = [(shape, mode, op, i) for op, shape, mode, _ in found for i in range(3)]
    types = constant_types(arch, slots, fill)
    constant_ok = dict(zip(slots, disassemble(arch, [fill(s, 128) for s in slots])))
    for op, shape, mode, text in found:
        _, operands, _ = split_operands(text)
        tokens = []
        for token in signature(operands, roles):
            i = "abc".find(token[0])
            if i >= 0:
                token += types[shape, mode, op, i]
                if op in matrix and not constant_ok[shape, mode, op, i] and "g" not in token:
                    token += "v"
            tokens.append(token)
        table.add(arch, "MFMA" if op in matrix else "VOP3P", op, text.split()[0],
                  "n" if op in without_op_sel else "", tokens)
    scaled = [lambda o: words(0xD3AC0000, vgpr(2) | vgpr(4) << 9, 0xD3800808 | o << 16,
                              vgpr(32) | vgpr(64) << 9 | vgpr(96) << 18)]
    for op, _, text in first_valid(arch, 128, scaled):
        mnemonic, operands, _ = split_operands(text)
        table.add(arch, "MFMA", op, mnemonic, "x", signature(operands[:4], roles))


# --- memory formats ----------------------------------------------------------

def data_share(table, arch):
    roles = {("v", 10): "v", ("v", 20): "t", ("v", 40): "u", ("v", 60): "d"}

    def encode(op, addr, data0, data1, dst, gds=0, offset=0):
        return words(0xD8000000 | op << 17 | gds << 16 | offset, addr | data0 << 8 | data1 << 16 | dst << 24)

    # Fields that an operation lacks must be zero; data0 is tried before none.
    shapes = [s + (g,) for g in (0, 1) for s in itertools.product((10, 0), (20, 0), (40, 0), (60, 0))]
    shapes.sort(key=lambda s: s[:4].count(0))
    variants = [lambda o, s=s: encode(o, *s) for s in shapes]
    named = lambda text, shape: all(re.search(r"v\[?%d\b" % f, text) for f in shape[:4] if f)
    found = first_valid(arch, 256, variants)
    offsets = disassemble(arch, [encode(op, *shapes[v], 0x0102) for op, v, _ in found])
    for (op, v, text), with_offset in zip(found, offsets):
        mnemonic, operands, _ = split_operands(text)
        if mnemonic == "ds_nop":
            operands = []
        assert named(text, shapes[v]) or mnemonic == "ds_nop", text
        flags = ("2" if with_offset and "offset1:" in with_offset else "") + ("g" if shapes[v][4] else "")
        operands = [o for o in operands if o != "gds"]
        table.add(arch, "DS", op, mnemonic, flags, signature(operands, roles))


def buffer(table, arch):
    def encode(op, low, vaddr=20, dst=10):
        return words(0xE0000000 | op << 18 | low, vaddr | dst << 8 | 2 << 16 | 30 << 24)

    variants = [lambda o: encode(o, 1 << 12), lambda o: encode(o, 0), lambda o: words(0xE0000000 | o << 18, 0)]
    found = first_valid(arch, 128, variants)
    returning = disassemble(arch, [encode(op, 1 << 12 | 1 << 14) for op, _, _ in found])
    to_lds = disassemble(arch, [encode(op, 1 << 12 | 1 << 16) for op, _, _ in found])
    for i, (op, _, text) in enumerate(found):
        mnemonic, operands, _ = split_operands(text)
        if not operands:
            table.add(arch, "MUBUF", op, mnemonic, "", [])
            continue
        data = "d" if "load" in mnemonic else "t"
        roles = {("v", 10): data, ("v", 20): "v", ("s", 8): "r", ("s", 30): "o"}
        tokens = signature(operands, roles)
        flags = "l" if to_lds[i] and to_lds[i].endswith("lds") else ""
        if "atomic" in mnemonic:
            width = parse_register(split_operands(returning[i])[1][0])[2]
            flags += "a%d" % (width // 2 if "cmpswap" in mnemonic else width)
        table.add(arch, "MUBUF", op, mnemonic, flags, tokens)


def flat(table, arch):
    for fmt, segment in (("FLAT", 0), ("SCRATCH", 1), ("GLOBAL", 2)):
        off = 0 if segment == 0 else 0x7F

        def encode(op, sc0=0, dst=40):
            return words(0xDC000000 | segment << 14 | op << 18 | sc0 << 16 | (segment == 1) << 13,
                         10 | 20 << 8 | off << 16 | dst << 24)

        roles = {("v", 10): "v", ("v", 20): "t", ("v", 40): "d", "off": "r"}
        found = first_valid(arch, 128, [lambda o: encode(o), lambda o: encode(o, dst=0), lambda o: encode(o, 1)])
        returning = disassemble(arch, [encode(op, 1) for op, _, _ in found])
        for i, (op, v, text) in enumerate(found):
            mnemonic, operands, _ = split_operands(text)
            flags = ""
            if "atomic" in mnemonic and returning[i]:
                flags = "a%d" % parse_register(split_operands(returning[i])[1][0])[2]
            table.add(arch, fmt, op, mnemonic, flags, signature(operands, roles))


# --- output ------------------------------------------------------------------

FILES = {
    "scalar": ("SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "SMEM"),
    "vector": ("VOP2", "VOP1", "VOPC"),
    "vector_long": ("VOP3", "VOP3P", "MFMA"),
    "memory": ("DS", "MUBUF", "FLAT", "GLOBAL", "SCRATCH"),
}
GENERATED = "// Generated by generate_tables.py from LLVM's disassembler; do not edit."


def write(table, directory):
    seen = set()
    with open(os.path.join(directory, "ops.def"), "w") as out:
        out.write("// Every mnemonic of gfx942 and gfx950 that the simulator can decode.\n//\n" + GENERATED +
                  "\n// An operation appears once, under the first of its encodings.\n"
                  "// HIPSIM_OP(enumerator of hipsim::Op, mnemonic)\n")
        for formats in FILES.values():
            for fmt in formats:
                out.write("\n// " + fmt + "\n")
                for key in sorted(k for k in table.rows if k[0] == fmt):
                    if key[2] not in seen:
                        seen.add(key[2])
                        out.write('HIPSIM_OP(%s, "%s")\n' % (key[2].upper(), key[2]))
    for name, formats in FILES.items():
        with open(os.path.join(directory, "encodings_%s.def" % name), "w") as out:
            out.write("// Encodings of the formats %s.\n//\n%s\n" % (", ".join(formats), GENERATED))
            out.write("// Its usage comment explains flags and operands.\n"
                      "// HIPSIM_ENCODING(format, opcode, Op, Archs, flags, operands)\n")
            for fmt in formats:
                out.write("\n")
                for key in sorted(k for k in table.rows if k[0] == fmt):
                    archs = table.rows[key]
                    which = "Both" if len(archs) == 2 else "Gfx" + next(iter(archs))[3:]
                    out.write('HIPSIM_ENCODING(%s, 0x%02x, %s, %s, "%s", "%s")\n' % (
                        key[0], key[1], key[2].upper(), which, key[3], key[4]))


def main():
    global LLVM_MC
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm-mc", default=LLVM_MC)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    arguments = parser.parse_args()
    LLVM_MC = arguments.llvm_mc
    table = Table()
    fillers = (scalar, short_vector, long_vector, packed, data_share, buffer, flat)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # The time goes to llvm-mc.
        for done in [pool.submit(fill, table, arch) for arch in ARCHES for fill in fillers]:
            done.result()
    write(table, arguments.out)


if __name__ == "__main__":
    main()
