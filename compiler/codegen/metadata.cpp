// Reads kernels back from a code object's AMDGPU metadata note (MessagePack,
// code object version 3 and later). What the loader and the runtime will see
// is taken from here, never from what the compiler believes it asked for.

#include "compiler/codegen/codegen.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"

using namespace llvm;

namespace {

uint32_t number(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end())
    return 0;
  if (it->second.getKind() == msgpack::Type::UInt)
    return uint32_t(it->second.getUInt());
  if (it->second.getKind() == msgpack::Type::Int)
    return uint32_t(it->second.getInt());
  return 0;
}

std::string text(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end() || it->second.getKind() != msgpack::Type::String)
    return {};
  return it->second.getString().str();
}

/// The array under `key`, or null.
msgpack::ArrayDocNode *array(msgpack::MapDocNode &map, StringRef key) {
  auto it = map.find(key);
  if (it == map.end() || !it->second.isArray())
    return nullptr;
  return &it->second.getArray();
}

moec::KernelInfo readKernel(msgpack::MapDocNode &map) {
  moec::KernelInfo kernel;
  kernel.name = text(map, ".name");
  kernel.symbol = text(map, ".symbol");
  kernel.kernargBytes = number(map, ".kernarg_segment_size");
  kernel.vgpr = number(map, ".vgpr_count");
  kernel.agpr = number(map, ".agpr_count");
  kernel.sgpr = number(map, ".sgpr_count");
  kernel.vgprSpills = number(map, ".vgpr_spill_count");
  kernel.sgprSpills = number(map, ".sgpr_spill_count");
  kernel.ldsBytes = number(map, ".group_segment_fixed_size");
  kernel.scratchBytes = number(map, ".private_segment_fixed_size");
  kernel.maxThreads = number(map, ".max_flat_workgroup_size");
  kernel.waveSize = number(map, ".wavefront_size");
  if (auto *sizes = array(map, ".reqd_workgroup_size"))
    for (size_t i = 0; i < 3 && i < sizes->size(); ++i)
      kernel.block[i] = uint32_t((*sizes)[i].getUInt());
  if (auto *args = array(map, ".args"))
    for (msgpack::DocNode &node : *args) {
      if (!node.isMap())
        continue;
      msgpack::MapDocNode &arg = node.getMap();
      if (StringRef(text(arg, ".value_kind")).starts_with("hidden_"))
        continue;
      kernel.args.push_back(
          {text(arg, ".name"), number(arg, ".offset"), number(arg, ".size")});
    }
  return kernel;
}

} // namespace

std::string moec::readKernelInfo(const std::string &hsaco,
                                 std::vector<KernelInfo> &kernels) {
  auto file = object::ELFFile<object::ELF64LE>::create(hsaco);
  if (!file)
    return toString(file.takeError());
  auto headers = file->program_headers();
  if (!headers)
    return toString(headers.takeError());
  msgpack::Document document;
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : file->notes(header, error)) {
      if (note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      if (!document.readFromBlob(note.getDescAsStringRef(header.p_align),
                                 /*Multi=*/false) ||
          !document.getRoot().isMap())
        return "the metadata note is not a MessagePack map";
      if (auto *list = array(document.getRoot().getMap(), "amdhsa.kernels"))
        for (msgpack::DocNode &node : *list)
          if (node.isMap())
            kernels.push_back(readKernel(node.getMap()));
    }
    if (error)
      return toString(std::move(error));
  }
  if (kernels.empty())
    return "no kernel in the metadata note";
  return {};
}
