// The layer that a request is about, as one self-contained module.
#pragma once

#include "compiler/pipeline/request.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace moec {

/// One moe.layer and the stages that it applies, sizes unbound.
struct LayerModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string layer; ///< Symbol of the layer.
  /// Where each stage was written: diagnostics about it point there.
  std::map<std::string, Input> sources;
};

/// Puts together the layer of `request`, whose inputs are of the rung `stage`.
///
/// The layer is the inputs' only one, else that of kernels/layers whose
/// `serves` equals the problem's fields. With `standalone`, or if the only
/// stage given is none of that layer's, it is a layer made around that stage,
/// with the operands "x", "topk" and the weights under the name that the layer
/// above gives them ("w" if it does not apply the stage). Stages come from the
/// inputs first, then from kernels/stages.
///
/// On failure: diagnostics on `context`, and Content, Usage or Unsupported.
ErrorCode assembleLayer(const Request &request, mlir::MLIRContext *context,
                        LayerModule &result);

} // namespace moec
