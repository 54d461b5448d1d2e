// moec-opt: mlir-opt with the project's dialects and steps, for work on them.
//
// A tool for developers and tests: it parses LLVM's options and may abort,
// which the compiler must not. Users have `moec compile --emit=...`.

#include "compiler/codegen/codegen.h"
#include "dialects/moe/Moe.h"
#include "dialects/tile/Tile.h"
#include "tools/moec-opt/passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  moec::registerCodegenDialects(registry);
  registry.insert<mlir::moe::MoeDialect, mlir::tile::TileDialect>();
  mlir::registerTransformsPasses();
  registerMoecPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "moec-opt: the dialects of moec\n", registry));
}
