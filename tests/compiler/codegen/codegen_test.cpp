// Code generation from hand-written kernels: metadata, rungs, failures that
// would take the process down, many threads. The instructions themselves are
// looked at by the *.mlir files beside this one.

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/guard.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

using namespace moec;

namespace {

/// One store of `value` in a kernel of 64 threads; `body` defines %v : f32.
std::string kernelText(const std::string &body) {
  return R"(gpu.module @m {
    gpu.func @k(%p: !llvm.ptr<1>, %n: i32, %f: f32) kernel
        attributes {arg_names = ["p", "n"], known_block_size = array<i32: 64, 1, 1>} {
)" + body +
         R"(
      llvm.store %v, %p : f32, !llvm.ptr<1>
      gpu.return
    }
  })";
}

const std::string plainBody = "%v = arith.addf %f, %f : f32";

/// Loads 16 bytes a lane to LDS, which gfx942 cannot: LLVM gives up on it.
const std::string fatalBody = R"(
      %v = arith.addf %f, %f : f32
      %lds = llvm.mlir.zero : !llvm.ptr<3>
      %c0 = arith.constant 0 : i32
      %c16 = arith.constant 16 : i32
      %c0h = arith.constant 0 : i16
      %size = arith.constant 64 : i64
      %r = rocdl.make.buffer.rsrc %p, %c0h, %size, %c0 : <1> to <8>
      rocdl.raw.ptr.buffer.load.lds %r, %lds, %c16, %c0, %c0, %c0, %c0)";

struct Compiled {
  bool ok = false;
  CodeObject code;
  CodegenFailure failure;
  std::string diagnostics;
};

Compiled compile(const std::string &text, CodegenOptions options = {}) {
  if (options.chip.empty())
    options.chip = "gfx942";
  Compiled result;
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  auto *context =
      new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &d) {
    result.diagnostics += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context);
  REQUIRE(module);
  result.ok =
      succeeded(generateCode(*module, options, result.code, result.failure));
  if (result.failure.status == 70) {
    (void)module.release(); // After a crash nothing of it may be touched.
    return result;
  }
  return result;
}

std::string readText(const std::string &path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("Metadata_HandWrittenKernel_SaysWhatALoaderNeeds") {
  Compiled result = compile(kernelText(plainBody));
  INFO(result.diagnostics);
  REQUIRE(result.ok);
  REQUIRE(result.code.kernels.size() == 1);
  const KernelInfo &kernel = result.code.kernels[0];
  CHECK(kernel.name == "k");
  CHECK(kernel.symbol == "k.kd");
  // A pointer at 0, an i32 at 8, an f32 at 12: 16 bytes without padding.
  REQUIRE(kernel.args.size() == 3);
  CHECK(kernel.args[0].name == "p");
  CHECK(kernel.args[1].name == "n");
  CHECK(kernel.args[2].name == "arg2"); // arg_names holds two names.
  CHECK(kernel.args[1].offset == 8);
  CHECK(kernel.args[2].offset == 12);
  CHECK(kernel.args[2].size == 4);
  CHECK(kernel.kernargBytes == 16);
  CHECK(kernel.block[0] == 64);
  CHECK(kernel.block[1] == 1);
  CHECK(kernel.maxThreads == 64);
  CHECK(kernel.waveSize == 64);
  CHECK(kernel.vgprSpills == 0);
  CHECK(kernel.ldsBytes == 0);
  CHECK(kernel.scratchBytes == 0);
}

TEST_CASE("Rungs_EachOne_StopsThere") {
  CodegenOptions options;
  options.rung = CodeRung::Llvm;
  Compiled llvm = compile(kernelText(plainBody), options);
  REQUIRE(llvm.ok);
  CHECK(llvm.code.llvmText.find("llvm.func @k") != std::string::npos);
  CHECK(llvm.code.hsaco.empty());
  CHECK(llvm.code.msLlvm == 0);
  // What a rung prints goes in again.
  options.rung = CodeRung::Asm;
  Compiled assembly = compile(llvm.code.llvmText, options);
  INFO(assembly.diagnostics);
  REQUIRE(assembly.ok);
  CHECK(assembly.code.asmText.find("s_endpgm") != std::string::npos);
  CHECK(assembly.code.hsaco.empty());
}

TEST_CASE("Output_SameInput_IsByteIdentical") {
  CHECK(compile(kernelText(plainBody)).code.hsaco ==
        compile(kernelText(plainBody)).code.hsaco);
}

TEST_CASE("Failure_BackendGivesUp_IsAnErrorWithAReproducer") { // R33
  for (int round = 0; round < 3; ++round) {
    CodegenOptions options;
    options.name = "k/1 2";
    Compiled result = compile(kernelText(fatalBody), options);
    CHECK_FALSE(result.ok);
    CHECK(result.failure.status == 70);
    CHECK(result.diagnostics.find("internal error while generating code for "
                                  "'k/1 2'") != std::string::npos);
    REQUIRE_FALSE(result.failure.reproducer.empty());
    CHECK(result.failure.reproducer.find("moec-k_1_2-") != std::string::npos);
    CHECK(readText(result.failure.reproducer).find("raw.ptr.buffer.load.lds") !=
          std::string::npos);
    std::remove(result.failure.reproducer.c_str());
    // The next kernel compiles.
    CHECK(compile(kernelText(plainBody)).ok);
  }
}

TEST_CASE("Guard_SignalOrFatalError_ReturnsWhy") {
  CHECK(runGuarded([] {}).empty());
  CHECK(runGuarded([] { std::raise(SIGSEGV); }).find("crashed") == 0);
  CHECK(runGuarded([] { llvm::report_fatal_error("no such thing"); }) ==
        "LLVM gave up: no such thing");
  // The process's own handler is back when nobody is inside.
  struct sigaction now;
  REQUIRE(sigaction(SIGSEGV, nullptr, &now) == 0);
  struct sigaction before = now;
  (void)runGuarded([] {});
  REQUIRE(sigaction(SIGSEGV, nullptr, &now) == 0);
  CHECK(now.sa_handler == before.sa_handler);
}

TEST_CASE("Threads_CompilingAndFailing_DoNotDisturbEachOther") {
  std::string expected = compile(kernelText(plainBody)).code.hsaco;
  std::vector<std::string> got(6);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 3; ++round) {
        if (t % 3 == 0) { // A third of the threads crash LLVM.
          Compiled bad = compile(kernelText(fatalBody));
          std::remove(bad.failure.reproducer.c_str());
          got[t] = bad.failure.status == 70 ? expected : "no failure";
        } else {
          got[t] = compile(kernelText(plainBody)).code.hsaco;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &hsaco : got)
    CHECK(hsaco == expected);
}

TEST_CASE("Metadata_DamagedCodeObject_IsRefused") {
  std::string hsaco = compile(kernelText(plainBody)).code.hsaco;
  std::vector<KernelInfo> kernels;
  CHECK(readKernelInfo(hsaco, kernels).empty());
  for (size_t size : {0u, 4u, 64u, 300u}) {
    kernels.clear();
    CHECK_FALSE(readKernelInfo(hsaco.substr(0, size), kernels).empty());
    CHECK(kernels.empty());
  }
}
