// MLIR diagnostics to plain data; see diagnostics.h.

#include "compiler/pipeline/diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace {

/// The place a person should look at: the first file position inside `loc`,
/// that of the innermost caller for inlined code.
FileLineColLoc findFile(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    break;
  }
  return "note";
}

void append(mlir::Diagnostic &diagnostic, moec::DiagnosticList &list) {
  moec::Diagnostic entry;
  entry.severity = severityName(diagnostic.getSeverity()).str();
  entry.message = diagnostic.str();
  if (auto file = findFile(diagnostic.getLocation())) {
    entry.file = file.getFilename().str();
    entry.line = file.getLine();
    entry.column = file.getColumn();
  }
  list.push_back(std::move(entry));
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    append(note, list);
}

} // namespace

moec::Diagnostic moec::plainError(std::string message) {
  return {"error", "", 0, 0, std::move(message)};
}

moec::DiagnosticCollector::DiagnosticCollector(MLIRContext *context,
                                               DiagnosticList &list)
    : handler(context, [&list](mlir::Diagnostic &diagnostic) {
        append(diagnostic, list);
        return success();
      }) {}
