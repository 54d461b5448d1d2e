// Diagnostics as data: what a reply's `meta` reports.
//
// Nothing of the compiler prints. Every message, from JSON parsing to LLVM,
// ends up in a DiagnosticList with the place it is about.
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace moec {

/// One message; line and column are 0 where there is no place.
struct Diagnostic {
  std::string severity; ///< "error", "warning", "remark" or "note".
  std::string file;
  unsigned line = 0, column = 0;
  std::string message;
};

using DiagnosticList = std::vector<Diagnostic>;

/// A message that is about no place in a file.
Diagnostic plainError(std::string message);

/// While alive, moves all diagnostics of a context into a list. A note follows
/// the message that it belongs to. For contexts used by one thread at a time.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, DiagnosticList &list);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace moec
