// Parsing of inputs; see modules.h.

#include "compiler/pipeline/modules.h"

#include "compiler/codegen/codegen.h"
#include "dialects/moe/Moe.h"
#include "dialects/tile/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <set>

using namespace mlir;

namespace moec {

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  registry.insert<mlir::moe::MoeDialect, mlir::tile::TileDialect>();
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  // The lowerings build operations of dialects that no input names.
  context->loadAllAvailableDialects();
  return context;
}

/// Deepest nesting of brackets in an input. MLIR's parser recurses, and no
/// guard survives the end of the stack.
constexpr int kMaxNesting = 256;

/// Line of the first bracket nested too deeply, 0 if there is none.
static unsigned findTooDeep(StringRef text) {
  unsigned line = 1;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i], before = i ? text[i - 1] : ' ';
    if (c == '\n')
      ++line;
    else if (c == '/' && before == '/')
      i = std::min(text.find('\n', i), text.size()) - 1;
    else if (c == '"')
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    else if (StringRef("([{<").contains(c))
      ++depth;
    else if (depth && StringRef(")]}>").contains(c) && !(c == '>' && before == '-'))
      --depth;
    if (depth > kMaxNesting)
      return line;
  }
  return 0;
}

OwningOpRef<ModuleOp> parseInput(const Input &input, MLIRContext *context,
                                 bool verify) {
  if (unsigned line = findTooDeep(input.text)) {
    emitError(FileLineColLoc::get(context, input.name, line, 1))
        << "brackets are nested more than " << kMaxNesting << " deep";
    return nullptr;
  }
  ParserConfig config(context, verify);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(input.text, config, input.name);
  if (!module)
    return nullptr;
  auto nested = llvm::to_vector(module->getOps<ModuleOp>());
  for (ModuleOp inner : nested) {
    Block *body = module->getBody();
    body->getOperations().splice(inner->getIterator(),
                                 inner.getBody()->getOperations());
    inner.erase();
  }
  return module;
}

static FailureOr<Item> toItem(Operation &op) {
  auto symbol = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  std::string name = symbol ? symbol.str() : "";
  if (isa<mlir::moe::StageOp>(op))
    return Item{Item::Kind::Stage, Rung::Stage, name, &op};
  if (isa<mlir::moe::LayerOp>(op))
    return Item{Item::Kind::Layer, Rung::Stage, name, &op};
  if (isa<mlir::tile::ProgramOp>(op))
    return Item{Item::Kind::Program, Rung::Tile, name, &op};
  if (auto device = dyn_cast<gpu::GPUModuleOp>(op)) {
    bool lowered = device.getOps<gpu::GPUFuncOp>().empty();
    return Item{Item::Kind::Device, lowered ? Rung::Llvm : Rung::Rocdl, name,
                &op};
  }
  op.emitError() << "'" << op.getName()
                 << "' at the top of an input; expected moe.stage, moe.layer, "
                    "tile.program, gpu.module, or llvm.func only";
  return failure();
}

FailureOr<std::vector<Item>> findItems(ModuleOp module) {
  std::vector<Item> items;
  if (llvm::any_of(*module.getBody(),
                   [](Operation &op) { return isa<LLVM::LLVMFuncOp>(op); })) {
    items.push_back({Item::Kind::Device, Rung::Llvm, "", module});
    return items;
  }
  std::set<std::pair<Item::Kind, std::string>> seen;
  for (Operation &op : *module.getBody()) {
    FailureOr<Item> item = toItem(op);
    if (failed(item))
      return failure();
    if (!seen.insert({item->kind, item->name}).second) {
      op.emitError() << "a second '" << op.getName() << "' called @"
                     << item->name << " in one input";
      return failure();
    }
    items.push_back(*item);
  }
  return items;
}

} // namespace moec
