// Crash recovery around LLVM; see guard.h.

#include "compiler/codegen/guard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>
#include <mutex>

namespace {

/// The message of a fatal error on its way from the handler to runGuarded().
/// A plain buffer: the thread leaves by longjmp, so nothing may own memory.
thread_local char fatalReason[512];

/// Called by LLVM before it would abort() or exit(): notes the reason and
/// leaves the recovery context of this thread. A thread without one is not
/// ours, and gets LLVM's default.
void leaveOnFatalError(void *, const char *reason, bool) {
  std::strncpy(fatalReason, reason, sizeof(fatalReason) - 1);
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(70);
}

/// Counts the threads inside runGuarded(), so that the first installs the
/// process-wide handlers and the last one restores what was there before.
class HandlerScope {
public:
  HandlerScope() {
    std::lock_guard<std::mutex> lock(mutex);
    if (count++ == 0) {
      llvm::CrashRecoveryContext::Enable();
      llvm::install_fatal_error_handler(leaveOnFatalError);
    }
  }
  ~HandlerScope() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--count == 0) {
      llvm::remove_fatal_error_handler();
      llvm::CrashRecoveryContext::Disable();
    }
  }

private:
  static std::mutex mutex;
  static int count;
};

std::mutex HandlerScope::mutex;
int HandlerScope::count = 0;

} // namespace

std::string moec::runGuarded(llvm::function_ref<void()> body) {
  HandlerScope handlers;
  fatalReason[0] = 0;
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely(body))
    return {};
  if (fatalReason[0])
    return std::string("LLVM gave up: ") + fatalReason;
  return "crashed with code " + std::to_string(recovery.RetCode);
}
