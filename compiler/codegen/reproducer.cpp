// Reproducer files; see reproducer.h.

#include "compiler/codegen/reproducer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>

std::string moec::writeReproducer(const std::string &text,
                                  const std::string &name,
                                  const std::string &chip,
                                  const std::string &why,
                                  const std::string &folder) {
  // A kernel's name may hold anything; a file's name holds what is safe.
  std::string safe = name;
  std::replace_if(
      safe.begin(), safe.end(),
      [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  std::string reason = why;
  std::replace(reason.begin(), reason.end(), '\n', ' ');

  llvm::SmallString<128> pattern(folder);
  if (pattern.empty())
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, pattern);
  llvm::sys::path::append(pattern, "moec-" + safe + "-%%%%%%%%.mlir");
  int fd;
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createUniqueFile(pattern, fd, path))
    return {};
  llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
  stream << "// " << reason << "\n// moec compile --target=" << chip
         << " --emit=hsaco -o /dev/null " << path << "\n"
         << text;
  return path.str().str();
}
