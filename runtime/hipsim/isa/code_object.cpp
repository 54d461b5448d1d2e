// Loads an AMDGPU code object: ELF segments, symbols, relocations, kernel
// descriptors and the metadata note. See code_object.h for the trust rules.
#include "runtime/hipsim/isa/code_object.h"

#include "runtime/hipsim/isa/metadata_reader.h"

#include <cstring>
#include <string_view>

namespace hipsim {
namespace {

// The parts of ELF64 that are read; offsets in bytes.
struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programOffset, sectionOffset;
  uint32_t flags;
  uint16_t headerSize, programEntrySize, programCount;
  uint16_t sectionEntrySize, sectionCount, sectionNames;
};
static_assert(sizeof(ElfHeader) == 64);

struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, vaddr, paddr, fileSize, memorySize, align;
};
static_assert(sizeof(ProgramHeader) == 56);

struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t align, entrySize;
};
static_assert(sizeof(SectionHeader) == 64);

struct ElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
static_assert(sizeof(ElfSymbol) == 24);

struct ElfRela {
  uint64_t offset, info;
  int64_t addend;
};
static_assert(sizeof(ElfRela) == 24);

constexpr uint8_t elfMagic[4] = {0x7f, 'E', 'L', 'F'};
constexpr unsigned class64 = 2, littleEndian = 1, abiAmdHsa = 64, machineAmdGpu = 224;
constexpr unsigned segmentLoad = 1, segmentNote = 4;
constexpr unsigned segmentExecutable = 1;
constexpr unsigned sectionSymbols = 2, sectionRela = 4, sectionDynamicSymbols = 11;
constexpr uint64_t sectionAllocated = 2;
constexpr unsigned symbolObject = 1, sectionUndefined = 0, firstReservedSection = 0xff00;
constexpr unsigned relocationAbsolute64 = 3, relocationRelative64 = 13;
constexpr unsigned noteMetadata = 32;
constexpr uint64_t maxImage = uint64_t(256) << 20;
constexpr uint64_t descriptorBytes = 64;

/// e_flags machine numbers, to name what was found.
struct Machine {
  unsigned number;
  const char *name;
};
constexpr Machine machines[] = {
    {0x2c, "gfx900"},  {0x2f, "gfx906"},  {0x30, "gfx908"},  {0x33, "gfx1010"},
    {0x36, "gfx1030"}, {0x3f, "gfx90a"},  {0x40, "gfx940"},  {0x41, "gfx1100"},
    {0x48, "gfx1200"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},  {0x4e, "gfx1201"},
    {0x4f, "gfx950"},
};

std::string machineName(unsigned number) {
  for (const Machine &machine : machines)
    if (machine.number == number)
      return machine.name;
  return "an architecture numbered " + std::to_string(number);
}

/// Bytes of the file, read with bounds checks.
class Bytes {
public:
  Bytes(const void *data, size_t size) : data(static_cast<const uint8_t *>(data)), size(size) {}

  bool contains(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }
  template <typename T> bool read(uint64_t offset, T &out) const {
    if (!contains(offset, sizeof(T)))
      return false;
    std::memcpy(&out, data + offset, sizeof(T));
    return true;
  }
  /// A zero-terminated string within [offset, limit).
  bool string(uint64_t offset, uint64_t limit, std::string &out) const {
    if (limit > size || offset >= limit)
      return false;
    const void *end = std::memchr(data + offset, 0, size_t(limit - offset));
    if (!end)
      return false;
    out.assign(reinterpret_cast<const char *>(data + offset), static_cast<const char *>(end));
    return true;
  }
  const uint8_t *at(uint64_t offset) const { return data + offset; }

private:
  const uint8_t *data;
  size_t size;
};

class Loader {
public:
  Loader(const void *data, size_t size, CodeObject &out, std::string &error)
      : bytes(data, size), size(size), out(out), error(error) {}

  bool load() {
    return header() && sections() && segments() && text() && symbols() &&
           relocations() && metadata();
  }

private:
  struct Symbol {
    std::string name;
    ElfSymbol elf;
  };

  Bytes bytes;
  size_t size;
  CodeObject &out;
  std::string &error;
  ElfHeader elf{};
  std::vector<SectionHeader> sectionHeaders;
  std::vector<std::string> sectionNames;
  std::vector<Symbol> symbolTable; ///< Without the null symbol.
  bool hasDynamicSymbols = false;

  bool fail(const std::string &what) {
    error = "code object of " + std::to_string(size) + " bytes: " + what;
    return false;
  }

  bool header();
  bool sections();
  bool segments();
  bool text();
  bool symbols();
  bool readSymbols(const SectionHeader &section);
  bool relocations();
  bool relocation(const ElfRela &rela);
  bool metadata();
  bool findNote(uint64_t &offset, uint64_t &count);
  bool kernel(const MetadataValue &value);
  bool arguments(const MetadataValue &value, KernelDescriptor &kernel);
  bool descriptor(uint64_t vaddr, KernelDescriptor &kernel);

  bool inImage(uint64_t vaddr, uint64_t count) const {
    return vaddr <= out.image.size() && count <= out.image.size() - vaddr;
  }
  template <typename T> T imageWord(uint64_t vaddr) const {
    T value;
    std::memcpy(&value, out.image.data() + vaddr, sizeof(T));
    return value;
  }
};

bool Loader::header() {
  if (!bytes.read(0, elf))
    return fail("shorter than an ELF header (64 bytes)");
  if (std::memcmp(elf.ident, elfMagic, 4) != 0)
    return fail("no ELF magic at byte 0; pass an hsaco, not an offload bundle or LLVM IR");
  if (elf.ident[4] != class64 || elf.ident[5] != littleEndian)
    return fail("not a 64-bit little-endian ELF file");
  if (elf.machine != machineAmdGpu)
    return fail("ELF machine " + std::to_string(elf.machine) + ", expected 224 (AMDGPU)");
  if (elf.ident[7] != abiAmdHsa)
    return fail("ELF OS ABI " + std::to_string(elf.ident[7]) +
                ", expected 64 (amdhsa); compile for amdgcn-amd-amdhsa");
  const std::string machine = machineName(elf.flags & 0xff);
  if (!parseArch(machine, out.arch))
    return fail("it is for " + machine + ", the simulator knows gfx942 and gfx950");
  constexpr unsigned xnackOn = 0x300, sramEccOn = 0xc00; // Two-bit fields; 3 is "on".
  out.xnack = (elf.flags & xnackOn) == xnackOn;
  out.sramecc = (elf.flags & sramEccOn) == sramEccOn;
  return true;
}

bool Loader::sections() {
  if (elf.sectionCount == 0)
    return fail("no section headers; link it with ld.lld and do not strip them");
  if (elf.sectionEntrySize != sizeof(SectionHeader))
    return fail("section headers of " + std::to_string(elf.sectionEntrySize) +
                " bytes, expected 64");
  for (unsigned i = 0; i < elf.sectionCount; ++i) {
    // Nobits sections have no bytes in the file; users of a section check it.
    if (!bytes.read(elf.sectionOffset + uint64_t(i) * sizeof(SectionHeader),
                    sectionHeaders.emplace_back()))
      return fail("section header " + std::to_string(i) + " passes the end of the file");
  }
  if (elf.sectionNames >= sectionHeaders.size())
    return fail("section name table index " + std::to_string(elf.sectionNames) +
                " of " + std::to_string(sectionHeaders.size()) + " sections");
  const SectionHeader &names = sectionHeaders[elf.sectionNames];
  if (!bytes.contains(names.offset, names.size))
    return fail("the section name table passes the end of the file");
  for (const SectionHeader &section : sectionHeaders) {
    std::string &name = sectionNames.emplace_back();
    if (section.name >= names.size ||
        !bytes.string(names.offset + section.name, names.offset + names.size, name))
      return fail("section " + std::to_string(sectionNames.size() - 1) + " has a broken name");
  }
  return true;
}

bool Loader::segments() {
  if (elf.programCount == 0 || elf.programEntrySize != sizeof(ProgramHeader))
    return fail("no loadable segments; it is a relocatable object, link it with ld.lld -shared");
  for (unsigned i = 0; i < elf.programCount; ++i) {
    ProgramHeader segment;
    if (!bytes.read(elf.programOffset + uint64_t(i) * sizeof segment, segment))
      return fail("program header " + std::to_string(i) + " passes the end of the file");
    if (segment.type != segmentLoad)
      continue;
    const std::string where = "segment " + std::to_string(i);
    if (!bytes.contains(segment.offset, segment.fileSize))
      return fail(where + " passes the end of the file");
    if (segment.fileSize > segment.memorySize)
      return fail(where + " has more bytes in the file than in memory");
    if (segment.vaddr > maxImage || segment.memorySize > maxImage - segment.vaddr)
      return fail(where + " ends past 256 MiB, the largest image that is loaded");
    const uint64_t end = segment.vaddr + segment.memorySize;
    if (out.image.size() < end)
      out.image.resize(size_t(end));
    if (segment.fileSize)
      std::memcpy(out.image.data() + segment.vaddr, bytes.at(segment.offset),
                  size_t(segment.fileSize));
  }
  return true;
}

bool Loader::text() {
  // A linker may leave .text without a section; its segment then stands for it.
  std::string found = "section .text";
  uint64_t address = 0, bytesOfText = 0;
  for (size_t i = 0; i < sectionHeaders.size(); ++i)
    if (sectionNames[i] == ".text") {
      address = sectionHeaders[i].address;
      bytesOfText = sectionHeaders[i].size;
    }
  for (unsigned i = 0; i < elf.programCount && bytesOfText == 0; ++i) {
    ProgramHeader segment;
    bytes.read(elf.programOffset + uint64_t(i) * sizeof segment, segment);
    if (segment.type != segmentLoad || !(segment.flags & segmentExecutable))
      continue;
    found = "the executable segment";
    address = segment.vaddr;
    bytesOfText = segment.fileSize;
  }
  if (!inImage(address, bytesOfText) || address % 4 != 0)
    return fail(found + " is not inside a loaded segment, or not aligned to 4 bytes");
  out.textVaddr = address;
  out.textSize = bytesOfText;
  return true;
}

bool Loader::readSymbols(const SectionHeader &section) {
  if (section.link >= sectionHeaders.size() || !bytes.contains(section.offset, section.size))
    return fail("the symbol table passes the end of the file");
  const SectionHeader &strings = sectionHeaders[section.link];
  if (!bytes.contains(strings.offset, strings.size))
    return fail("the string table of the symbols passes the end of the file");
  for (uint64_t i = 1; i < section.size / sizeof(ElfSymbol); ++i) {
    Symbol symbol;
    bytes.read(section.offset + i * sizeof(ElfSymbol), symbol.elf);
    if (symbol.elf.name >= strings.size ||
        !bytes.string(strings.offset + symbol.elf.name, strings.offset + strings.size,
                      symbol.name))
      return fail("symbol " + std::to_string(i) + " has a broken name");
    symbolTable.push_back(std::move(symbol));
  }
  return true;
}

bool Loader::symbols() {
  const SectionHeader *table = nullptr;
  for (const SectionHeader &section : sectionHeaders) {
    hasDynamicSymbols |= section.type == sectionDynamicSymbols;
    if (section.type == sectionDynamicSymbols ||
        (section.type == sectionSymbols && !hasDynamicSymbols))
      table = &section;
  }
  if (table && !readSymbols(*table))
    return false;
  for (const Symbol &symbol : symbolTable) {
    const bool defined = symbol.elf.section != sectionUndefined &&
                         symbol.elf.section < firstReservedSection;
    const bool isDescriptor = std::string_view(symbol.name).ends_with(".kd");
    if (!defined || (symbol.elf.info & 0xf) != symbolObject || isDescriptor)
      continue;
    if (!inImage(symbol.elf.value, symbol.elf.size))
      return fail("symbol '" + symbol.name + "' lies outside the loaded segments");
    out.globals.push_back({symbol.name, symbol.elf.value, symbol.elf.size});
  }
  return true;
}

bool Loader::relocations() {
  for (size_t i = 0; i < sectionHeaders.size(); ++i) {
    const SectionHeader &section = sectionHeaders[i];
    if (section.type != sectionRela || !(section.flags & sectionAllocated))
      continue;
    if (!bytes.contains(section.offset, section.size))
      return fail("section " + sectionNames[i] + " passes the end of the file");
    for (uint64_t entry = 0; entry < section.size / sizeof(ElfRela); ++entry) {
      ElfRela rela;
      bytes.read(section.offset + entry * sizeof rela, rela);
      if (!relocation(rela))
        return false;
    }
  }
  return true;
}

bool Loader::relocation(const ElfRela &rela) {
  const unsigned type = unsigned(rela.info & 0xffffffff);
  const uint64_t symbolIndex = rela.info >> 32;
  if (!inImage(rela.offset, 8))
    return fail("a relocation of the word at " + std::to_string(rela.offset) +
                " lies outside the loaded segments");
  uint64_t base = 0;
  if (type == relocationAbsolute64) {
    if (!hasDynamicSymbols || symbolIndex == 0 || symbolIndex > symbolTable.size())
      return fail("a relocation names symbol " + std::to_string(symbolIndex) + " of " +
                  std::to_string(symbolTable.size()));
    const Symbol &symbol = symbolTable[symbolIndex - 1];
    if (symbol.elf.section == sectionUndefined)
      return fail("undefined symbol '" + symbol.name + "'; link the object that defines it");
    base = symbol.elf.value;
  } else if (type != relocationRelative64) {
    return fail("relocation type " + std::to_string(type) +
                ", expected 3 (absolute) or 13 (relative) of 64 bits");
  }
  out.relocations.push_back({rela.offset, base + uint64_t(rela.addend)});
  return true;
}

// --- metadata ----------------------------------------------------------------

bool Loader::findNote(uint64_t &offset, uint64_t &count) {
  for (unsigned i = 0; i < elf.programCount; ++i) {
    ProgramHeader segment;
    bytes.read(elf.programOffset + uint64_t(i) * sizeof segment, segment);
    if (segment.type != segmentNote)
      continue;
    if (!bytes.contains(segment.offset, segment.fileSize))
      return fail("the note segment passes the end of the file");
    const uint64_t end = segment.offset + segment.fileSize;
    uint64_t position = segment.offset;
    while (end - position >= 12) {
      uint32_t words[3] = {}; // Name size, descriptor size, type.
      bytes.read(position, words);
      const uint64_t nameEnd = position + 12 + (uint64_t(words[0]) + 3) / 4 * 4;
      const uint64_t next = nameEnd + (uint64_t(words[1]) + 3) / 4 * 4;
      if (nameEnd + words[1] > end)
        return fail("a note at byte " + std::to_string(position) + " passes its segment");
      std::string name;
      if (words[2] == noteMetadata &&
          bytes.string(position + 12, position + 12 + words[0], name) && name == "AMDGPU") {
        offset = nameEnd;
        count = words[1];
        return true;
      }
      if (next > end)
        break;
      position = next;
    }
  }
  return fail("no AMDGPU metadata note (type 32); compile with code object version 4 or later");
}

uint32_t integerField(const MetadataValue &map, const char *key, uint32_t absent = 0) {
  const MetadataValue *value = map.find(key);
  return value && value->kind == MetadataValue::Kind::Integer ? uint32_t(value->integer) : absent;
}

std::string stringField(const MetadataValue &map, const char *key) {
  const MetadataValue *value = map.find(key);
  return value && value->kind == MetadataValue::Kind::String ? value->string : std::string();
}

bool Loader::metadata() {
  uint64_t offset = 0, count = 0;
  if (!findNote(offset, count))
    return false;
  MetadataValue root;
  std::string reason;
  if (!readMetadata(bytes.at(offset), size_t(count), root, reason))
    return fail("the metadata note is not valid MessagePack: " + reason);
  out.target = stringField(root, "amdhsa.target");
  const MetadataValue *kernels = root.find("amdhsa.kernels");
  if (!kernels) // A code object with only data is legal.
    return true;
  for (const MetadataValue &value : kernels->items)
    if (!kernel(value))
      return false;
  return true;
}

bool Loader::kernel(const MetadataValue &value) {
  KernelDescriptor kernel;
  kernel.name = stringField(value, ".name");
  kernel.symbol = stringField(value, ".symbol");
  if (kernel.name.empty() || kernel.symbol.empty())
    return fail("kernel " + std::to_string(out.kernels.size()) +
                " of the metadata has no .name or no .symbol");
  const Symbol *found = nullptr;
  for (const Symbol &symbol : symbolTable)
    if (symbol.name == kernel.symbol && symbol.elf.section != sectionUndefined)
      found = &symbol;
  if (!found)
    return fail("kernel '" + kernel.name + "' has no symbol '" + kernel.symbol + "'");
  kernel.kernargAlignment = integerField(value, ".kernarg_segment_align", 16);
  kernel.sgprs = integerField(value, ".sgpr_count");
  kernel.agprs = integerField(value, ".agpr_count");
  kernel.maxFlatWorkgroupSize = integerField(value, ".max_flat_workgroup_size");
  const MetadataValue *required = value.find(".reqd_workgroup_size");
  if (required && required->items.size() == 3)
    for (unsigned i = 0; i < 3; ++i)
      kernel.reqdWorkgroupSize[i] = uint32_t(required->items[i].integer);
  if (!arguments(value, kernel) || !descriptor(found->elf.value, kernel))
    return false;
  out.kernels.push_back(std::move(kernel));
  return true;
}

bool Loader::arguments(const MetadataValue &value, KernelDescriptor &kernel) {
  // The descriptor says 0 when the compiler did not know; the metadata knows.
  kernel.kernargBytes = integerField(value, ".kernarg_segment_size");
  const MetadataValue *args = value.find(".args");
  if (!args)
    return true;
  for (const MetadataValue &item : args->items) {
    KernelArgument argument;
    argument.name = stringField(item, ".name");
    argument.valueKind = stringField(item, ".value_kind");
    argument.offset = integerField(item, ".offset");
    argument.size = integerField(item, ".size");
    if (uint64_t(argument.offset) + argument.size > kernel.kernargBytes)
      return fail("kernel '" + kernel.name + "': argument " +
                  std::to_string(kernel.args.size()) + " ends at byte " +
                  std::to_string(uint64_t(argument.offset) + argument.size) +
                  " of a kernarg segment of " + std::to_string(kernel.kernargBytes));
    kernel.args.push_back(std::move(argument));
  }
  return true;
}

bool Loader::descriptor(uint64_t vaddr, KernelDescriptor &kernel) {
  const std::string where = "kernel '" + kernel.name + "': ";
  if (!inImage(vaddr, descriptorBytes))
    return fail(where + "its descriptor lies outside the loaded segments");
  const auto bit = [](uint32_t word, unsigned index) { return (word >> index & 1) != 0; };
  kernel.groupSegmentBytes = imageWord<uint32_t>(vaddr);
  kernel.privateSegmentBytes = imageWord<uint32_t>(vaddr + 4);
  const uint64_t entry = vaddr + imageWord<uint64_t>(vaddr + 16) - out.textVaddr;
  if (entry >= out.textSize || entry % 4 != 0)
    return fail(where + "its entry point is not in .text");
  kernel.entry = uint32_t(entry);

  const uint32_t rsrc3 = imageWord<uint32_t>(vaddr + 44);
  kernel.accumOffset = ((rsrc3 & 63) + 1) * 4;
  kernel.tgSplit = bit(rsrc3, 16);

  const uint32_t rsrc1 = imageWord<uint32_t>(vaddr + 48);
  kernel.vgprs = ((rsrc1 & 63) + 1) * 8;
  kernel.floatMode = uint8_t(rsrc1 >> 12);
  kernel.dx10Clamp = bit(rsrc1, 21);
  kernel.ieee = bit(rsrc1, 23);
  kernel.fp16Overflow = bit(rsrc1, 26);

  const uint32_t rsrc2 = imageWord<uint32_t>(vaddr + 52);
  kernel.scratchEnabled = bit(rsrc2, 0);
  kernel.userSgprCount = rsrc2 >> 1 & 31;
  kernel.enableWorkgroupIdX = bit(rsrc2, 7);
  kernel.enableWorkgroupIdY = bit(rsrc2, 8);
  kernel.enableWorkgroupIdZ = bit(rsrc2, 9);
  kernel.enableWorkgroupInfo = bit(rsrc2, 10);
  kernel.workitemIdDims = (rsrc2 >> 11 & 3) + 1;
  if (kernel.workitemIdDims > 3)
    return fail(where + "its descriptor asks for 4 work-item dimensions");

  const uint16_t properties = imageWord<uint16_t>(vaddr + 56);
  kernel.enablePrivateSegmentBuffer = bit(properties, 0);
  kernel.enableDispatchPtr = bit(properties, 1);
  kernel.enableQueuePtr = bit(properties, 2);
  kernel.enableKernargSegmentPtr = bit(properties, 3);
  kernel.enableDispatchId = bit(properties, 4);
  kernel.enableFlatScratchInit = bit(properties, 5);
  kernel.enablePrivateSegmentSize = bit(properties, 6);
  kernel.wave32 = bit(properties, 10);
  kernel.dynamicStack = bit(properties, 11);
  if (kernel.wave32)
    return fail(where + "it wants waves of 32 lanes; " + archName(out.arch) + " has 64");

  const uint16_t preload = imageWord<uint16_t>(vaddr + 58);
  kernel.kernargPreloadLength = preload & 0x7f;
  kernel.kernargPreloadOffset = preload >> 7;
  if ((uint64_t(kernel.kernargPreloadOffset) + kernel.kernargPreloadLength) * 4 >
      uint64_t(kernel.kernargBytes) + 3)
    return fail(where + "it preloads more than its kernarg segment");
  return true;
}

} // namespace

const KernelDescriptor *CodeObject::findKernel(const std::string &name) const {
  for (const KernelDescriptor &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

const GlobalSymbol *CodeObject::findGlobal(const std::string &name) const {
  for (const GlobalSymbol &global : globals)
    if (global.name == name)
      return &global;
  return nullptr;
}

const char *archName(Arch arch) { return arch == Arch::Gfx942 ? "gfx942" : "gfx950"; }

bool parseArch(const std::string &name, Arch &arch) {
  for (Arch candidate : {Arch::Gfx942, Arch::Gfx950})
    if (name == archName(candidate)) {
      arch = candidate;
      return true;
    }
  return false;
}

bool loadCodeObject(const void *bytes, size_t size, CodeObject &out, std::string &error) {
  out = CodeObject();
  return Loader(bytes, size, out, error).load();
}

bool loadCodeObject(const void *bytes, size_t size, Arch expected, CodeObject &out,
                    std::string &error) {
  if (!loadCodeObject(bytes, size, out, error))
    return false;
  if (out.arch == expected)
    return true;
  error = std::string("the code object is for ") + archName(out.arch) +
          ", the simulated device is " + archName(expected) +
          "; compile with --offload-arch=" + archName(expected) +
          " or set HIPSIM_ARCH=" + archName(out.arch);
  return false;
}

} // namespace hipsim
