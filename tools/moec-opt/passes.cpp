// Passes over the functions of compiler/transforms, lowering and codegen; see
// passes.h. Each says in its description what it takes and what it leaves.

#include "tools/moec-opt/passes.h"

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/expand_math.h"
#include "compiler/codegen/lower_to_llvm.h"
#include "compiler/lowering/tile_to_rocdl.h"
#include "compiler/schedule/schedule.h"
#include "compiler/transforms/bind_problem.h"
#include "compiler/transforms/stage_to_tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// What every pass of ours has in common: it works on a module, and lowerings
/// build operations of dialects that the input need not name.
template <typename Derived>
struct MoecPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  using Base = PassWrapper<Derived, OperationPass<ModuleOp>>;
  using Base::Base;
  MoecPass() = default;
  MoecPass(const MoecPass &other) : Base(other) {}
  void getDependentDialects(DialectRegistry &registry) const override {
    moec::registerCodegenDialects(registry);
    registry.insert<tile::TileDialect>();
  }

  /// The row of `name`, or null after an error.
  const moec::Target *findTarget(StringRef name) {
    const moec::Target *target = moec::findTarget(name);
    if (!target)
      this->getOperation().emitError()
          << "unknown target '" << name << "'; known: " << moec::targetNames();
    return target;
  }
  void check(moec::ErrorCode code) {
    if (code != moec::ErrorCode::Ok)
      this->signalPassFailure();
  }
};

struct BindProblem : MoecPass<BindProblem> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BindProblem)
  BindProblem() = default;
  BindProblem(const BindProblem &other) : MoecPass(other) {}
  StringRef getArgument() const override { return "moe-bind-problem"; }
  StringRef getDescription() const override {
    return "Before: stages and layers over symbols. After: every size and "
           "group is a number of the problem";
  }
  void runOnOperation() override {
    // The option parser takes the outer braces for its own quoting.
    StringRef text = StringRef(problem.getValue()).trim();
    auto parsed = moec::parseProblem(
        text.starts_with("{") ? text.str() : "{" + text.str() + "}");
    if (parsed)
      return check(moec::bindProblem(getOperation(), *parsed));
    getOperation().emitError() << parsed.status().message();
    signalPassFailure();
  }
  Option<std::string> problem{*this, "problem",
                              llvm::cl::desc("JSON of the problem")};
};

struct MoeToTile : MoecPass<MoeToTile> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoeToTile)
  MoeToTile() = default;
  MoeToTile(const MoeToTile &other) : MoecPass(other) {}
  StringRef getArgument() const override { return "moe-to-tile"; }
  StringRef getDescription() const override {
    return "Before: bound stages. After: a tile.program for each";
  }
  void runOnOperation() override {
    const moec::Target *row = findTarget(target.getValue());
    if (!row)
      return signalPassFailure();
    auto stages = llvm::to_vector(getOperation().getOps<moe::StageOp>());
    for (moe::StageOp stage : stages) {
      auto given = schedule.empty()
                       ? moec::chooseSchedule(stage)
                       : dyn_cast_or_null<tile::ScheduleAttr>(parseAttribute(
                             schedule.getValue(), &getContext()));
      if (!given) {
        stage.emitError() << "'" << schedule.getValue()
                          << "' is not a schedule; expected "
                             "#tile.schedule<...>";
        return signalPassFailure();
      }
      OpBuilder builder(stage);
      tile::ProgramOp program;
      check(moec::stageToTile(stage, given, *row, builder, program));
      stage.erase();
    }
  }
  Option<std::string> target{*this, "target", llvm::cl::init("gfx942")};
  Option<std::string> schedule{*this, "schedule",
                               llvm::cl::desc("instead of the chosen one")};
};

struct TileToRocdl : MoecPass<TileToRocdl> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToRocdl)
  StringRef getArgument() const override { return "tile-to-rocdl"; }
  StringRef getDescription() const override {
    return "Before: tile programs. After: a gpu.module with one kernel for "
           "each, in upstream dialects";
  }
  void runOnOperation() override {
    auto programs = llvm::to_vector(getOperation().getOps<tile::ProgramOp>());
    for (tile::ProgramOp program : programs) {
      OpBuilder builder(program);
      check(moec::tileToRocdl(program, builder));
      program.erase();
    }
  }
};

struct ExpandMath : MoecPass<ExpandMath> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMath)
  StringRef getArgument() const override { return "math-expand-for-gpu"; }
  StringRef getDescription() const override {
    return "Before: any math. After: only what the AMDGPU backend selects "
           "without a device library";
  }
  void runOnOperation() override {
    if (failed(moec::expandMath(getOperation())))
      signalPassFailure();
  }
};

struct RocdlToLlvm : MoecPass<RocdlToLlvm> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RocdlToLlvm)
  RocdlToLlvm() = default;
  RocdlToLlvm(const RocdlToLlvm &other) : MoecPass(other) {}
  StringRef getArgument() const override { return "rocdl-to-llvm"; }
  StringRef getDescription() const override {
    return "Before: one gpu.module in upstream dialects. After: llvm and "
           "rocdl only";
  }
  void runOnOperation() override {
    Operation *device = moec::findDeviceModule(getOperation());
    if (!device || failed(moec::checkLegality(device, chip.getValue())) ||
        failed(moec::lowerToLlvm(device, chip.getValue())))
      signalPassFailure();
  }
  Option<std::string> chip{*this, "chip", llvm::cl::init("gfx942")};
};

} // namespace

void registerMoecPasses() {
  PassRegistration<BindProblem>();
  PassRegistration<MoeToTile>();
  PassRegistration<TileToRocdl>();
  PassRegistration<ExpandMath>();
  PassRegistration<RocdlToLlvm>();
}
