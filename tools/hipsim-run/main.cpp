// hipsim-run: executes one kernel of a code object on the simulator.
//
// For kernel authors: any gfx942 or gfx950 code object, buffers from files or
// generators, a trace of chosen waves, breakpoints. Uses nothing of moec but the
// terminal; the device is libhipsim.so, through its HIP functions.
#include "tools/hipsim-run/arguments.h"
#include "tools/hipsim-run/symbols.h"
#include "tools/hipsim-run/trace_printer.h"

#include "runtime/hipsim/hip/hip_api.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <exception>

namespace moec::hipsimrun {
namespace {

struct Options {
  std::string file, kernel, grid = "1", block = "64", trace;
  std::vector<std::string> arguments, dumps, prints, breakpoints;
  uint64_t lds = 0, seed = 1, breakHits = 1, lanes = 8;
  bool dumpRegisters = false, stats = false, json = false, list = false;
};

/// --print N:TYPE:COUNT
struct Print {
  uint64_t argument, count;
  const ScalarType *type;
};
/// --dump N:FILE
struct Dump {
  uint64_t argument;
  std::string file;
};

int report(const Status &status) {
  if (!status.ok())
    spdlog::error("hipsim-run: error: {}", status.message());
  return int(status.code());
}

Status usage(const std::string &message) { return Status(ErrorCode::Usage, message); }

Expected<std::vector<uint32_t>> parseShape(const std::string &text, const std::string &option) {
  std::vector<uint32_t> shape;
  for (const std::string &part : split(text, ',')) {
    Expected<uint64_t> extent = parseCount(part, UINT32_MAX, option + "=" + text);
    if (!extent)
      return extent.status();
    if (*extent == 0)
      return usage(option + "=" + text + ": an extent is 0");
    shape.push_back(uint32_t(*extent));
  }
  if (shape.size() > 3)
    return usage(option + "=" + text + ": expected x,y,z");
  shape.resize(3, 1);
  return shape;
}

bool isHidden(const hipsim::KernelArgument &a) { return a.valueKind.rfind("hidden_", 0) == 0; }

std::string signatureOf(const hipsim::KernelDescriptor &kernel) {
  std::string text;
  for (const hipsim::KernelArgument &a : kernel.args)
    if (!isHidden(a))
      text += fmt::format("{}{}:{} bytes{}", text.empty() ? "" : ", ", a.valueKind, a.size,
                          a.name.empty() ? "" : " " + a.name);
  return text.empty() ? "no arguments" : text;
}

/// One run from its options to its output.
class Run {
public:
  explicit Run(const Options &options) : options(options) {}

  Status execute() {
    for (auto step : {&Run::load, &Run::parse, &Run::openDevice, &Run::fillBuffers, &Run::launch,
                      &Run::output}) {
      Status status = (this->*step)();
      if (!status.ok())
        return status;
      if (options.list)
        break;
    }
    return {};
  }

private:
  Status load();
  Status parse();
  Status parseOutputs();
  Status checkArguments() const;
  Status openDevice();
  Status fillBuffers();
  Status launch();
  Status output();
  Status outputText(const hipsim_statistics &s);
  void outputJson(const hipsim_statistics &s);
  void list() const;

  Status deviceError(const std::string &what, hipError_t error) const {
    ErrorCode code = error == hipErrorInvalidConfiguration || error == hipErrorInvalidValue
                         ? ErrorCode::Usage
                         : ErrorCode::Content;
    std::string text = hipsimLastReport();
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return Status(code, fmt::format("{}: {}{}{}", what, hipGetErrorName(error),
                                    text.empty() ? "" : "\n", text));
  }
  uint64_t owner(uint64_t argument) const {
    const Argument &a = arguments[argument];
    return a.kind == Argument::Kind::SameAs ? owner(a.sameAs) : argument;
  }
  uint64_t bufferBytes(uint64_t argument) const { return arguments[owner(argument)].bufferBytes(); }
  Expected<std::string> readBuffer(uint64_t argument) const {
    std::string bytes(bufferBytes(argument), '\0');
    if (hipError_t error = hipMemcpy(bytes.data(), pointers[argument], bytes.size(), hipMemcpyDeviceToHost))
      return deviceError("reading a buffer", error);
    return bytes;
  }

  const Options &options;
  std::string file;
  hipsim::CodeObject object;
  const hipsim::KernelDescriptor *kernel = nullptr;
  std::vector<uint32_t> grid, block;
  std::vector<Argument> arguments;
  std::vector<void *> pointers;
  std::vector<Print> prints;
  std::vector<Dump> dumps;
  TracePrinter tracer;
  hipFunction_t function = nullptr;
  double seconds = 0;
};

Status Run::load() {
  Expected<std::string> content = tool::readInput(options.file);
  if (!content)
    return content.status();
  file = content.take();
  std::string error;
  if (!hipsim::loadCodeObject(file.data(), file.size(), object, error))
    return Status(isOtherProcessor(file) ? ErrorCode::Unsupported : ErrorCode::Content,
                  options.file + ": " + error);
  if (options.list) {
    list();
    return {};
  }
  std::vector<std::string> known;
  for (const hipsim::KernelDescriptor &k : object.kernels)
    known.push_back(k.name);
  if (known.empty())
    return Status(ErrorCode::Content, options.file + ": it has no kernel");
  if (options.kernel.empty() && known.size() > 1)
    return usage(fmt::format("{} has {} kernels: {}; choose one with --kernel NAME", options.file,
                             known.size(), tool::join(known, ", ")));
  std::string name = options.kernel.empty() ? known[0] : options.kernel;
  kernel = object.findKernel(name);
  if (!kernel)
    return usage(fmt::format("unknown kernel '{}'{}; known: {}", name,
                             tool::suggestion(name, known), tool::join(known, ", ")));
  return {};
}

void Run::list() const {
  for (const hipsim::KernelDescriptor &k : object.kernels)
    if (options.json)
      tool::printJson({{"kernel", k.name}, {"arch", archName(object.arch)}, {"entry", k.entry},
                       {"vgprs", k.vgprs}, {"sgprs", k.sgprs}, {"agprs", k.agprs},
                       {"lds", k.groupSegmentBytes}, {"scratch", k.privateSegmentBytes},
                       {"arguments", signatureOf(k)}});
    else
      fmt::print("{}  {}  .text+0x{:x}  {} registers, {} bytes of LDS, {} of scratch\n  ({})\n", k.name,
                 archName(object.arch), k.entry, k.vgprs, k.groupSegmentBytes,
                 k.privateSegmentBytes, signatureOf(k));
}

Status Run::parse() {
  Expected<std::vector<uint32_t>> shape = parseShape(options.grid, "--grid");
  if (!shape)
    return shape.status();
  grid = shape.take();
  shape = parseShape(options.block, "--block");
  if (!shape)
    return shape.status();
  block = shape.take();
  for (const std::string &spec : options.arguments) {
    Expected<Argument> argument = parseArgument(spec, arguments.size());
    if (!argument)
      return argument.status();
    arguments.push_back(argument.take());
  }
  if (Status status = checkArguments(); !status.ok())
    return status;
  tracer.breakHits = options.breakHits;
  tracer.lanes = uint32_t(options.lanes);
  tracer.dumpAtEnd = options.dumpRegisters;
  tracer.json = options.json;
  if (!options.trace.empty())
    for (const std::string &wave : split(options.trace, ',')) {
      Expected<uint64_t> number = parseCount(wave, UINT64_MAX, "--trace " + options.trace);
      if (!number)
        return number.status();
      tracer.waves.push_back(*number);
    }
  for (const std::string &place : options.breakpoints) {
    Expected<uint64_t> offset = findPlace(place, object, file);
    if (!offset)
      return offset.status();
    tracer.breakpoints.push_back(*offset);
  }
  return parseOutputs();
}

/// As the code object describes the kernel: how many, and the size of each.
Status Run::checkArguments() const {
  std::vector<const hipsim::KernelArgument *> wanted;
  for (const hipsim::KernelArgument &a : kernel->args)
    if (!isHidden(a))
      wanted.push_back(&a);
  if (wanted.size() != arguments.size())
    return usage(fmt::format("kernel {} takes {} arguments ({}), found {} --arg", kernel->name,
                             wanted.size(), signatureOf(*kernel), arguments.size()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Argument &a = arguments[i];
    uint64_t size = a.kind == Argument::Kind::Value ? a.bytes.size() : 8;
    if (size != wanted[i]->size)
      return usage(fmt::format("--arg {} has {} bytes, but argument {} of {} is {} of {} bytes",
                               a.spec, size, i, kernel->name, wanted[i]->valueKind, wanted[i]->size));
    if (a.kind == Argument::Kind::SameAs && bufferBytes(i) == 0)
      return usage(fmt::format("--arg {}: argument {} is no buffer", a.spec, a.sameAs));
  }
  return {};
}

Status Run::parseOutputs() {
  auto argumentOf = [&](const std::string &text, const std::string &what) -> Expected<uint64_t> {
    Expected<uint64_t> number = parseCount(text, UINT32_MAX, what);
    if (number && (*number >= arguments.size() || bufferBytes(*number) == 0))
      return usage(fmt::format("{}: argument {} is no buffer", what, *number));
    return number;
  };
  for (const std::string &spec : options.prints) {
    std::vector<std::string> parts = split(spec, ':');
    std::string what = "--print " + spec;
    if (parts.size() != 3)
      return usage(what + ": expected N:TYPE:COUNT, as in 1:f32:16");
    Expected<uint64_t> argument = argumentOf(parts[0], what);
    if (!argument)
      return argument.status();
    Expected<const ScalarType *> type = findScalarType(parts[1]);
    if (!type)
      return type.status().withContext(what);
    Expected<uint64_t> count = parseCount(parts[2], bufferBytes(*argument) / (*type)->bytes, what);
    if (!count)
      return count.status();
    prints.push_back({*argument, *count, *type});
  }
  for (const std::string &spec : options.dumps) {
    std::vector<std::string> parts = split(spec, ':', 2);
    std::string what = "--dump " + spec;
    if (parts.size() != 2 || parts[1].empty())
      return usage(what + ": expected N:FILE, as in 1:out.bin");
    Expected<uint64_t> argument = argumentOf(parts[0], what);
    if (!argument)
      return argument.status();
    dumps.push_back({*argument, parts[1]});
  }
  return {};
}

Status Run::openDevice() {
  // Read by the simulator at the first call. Memory that nobody initialised
  // must not look like zeros.
  setenv("HIPSIM_ARCH", archName(object.arch), 1);
  setenv("HIPSIM_SEED", std::to_string(options.seed).c_str(), 1);
  setenv("HIPSIM_POISON", "1", 0);
  hipModule_t module = nullptr;
  if (hipError_t error = hipModuleLoadData(&module, file.data()))
    return deviceError(options.file, error);
  if (hipError_t error = hipModuleGetFunction(&function, module, kernel->name.c_str()))
    return deviceError(kernel->name, error);
  return {};
}

Status Run::fillBuffers() {
  pointers.resize(arguments.size(), nullptr);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &a = arguments[i];
    uint64_t bytes = a.bufferBytes();
    if (a.kind == Argument::Kind::SameAs)
      pointers[i] = pointers[owner(i)];
    if (bytes == 0)
      continue;
    if (hipError_t error = hipMalloc(&pointers[i], bytes))
      return deviceError("--arg " + a.spec, error);
    if (a.kind == Argument::Kind::Buffer)
      if (hipError_t error = hipMemcpy(pointers[i], a.bytes.data(), bytes, hipMemcpyHostToDevice))
        return deviceError("--arg " + a.spec, error);
  }
  return {};
}

Status Run::launch() {
  std::vector<void *> parameters;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters.push_back(arguments[i].kind == Argument::Kind::Value ? arguments[i].bytes.data()
                                                                    : static_cast<void *>(&pointers[i]));
  tracer.start();
  auto begin = std::chrono::steady_clock::now();
  hipError_t error = hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                           block[2], uint32_t(options.lds), nullptr,
                                           parameters.data(), nullptr);
  if (error)
    return deviceError("kernel " + kernel->name, error);
  if ((error = hipDeviceSynchronize()))
    return deviceError("kernel " + kernel->name, error).withContext("the kernel did not finish");
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!tracer.breakpoints.empty() && tracer.hits() == 0)
    spdlog::warn("hipsim-run: no wave reached a breakpoint");
  return {};
}

/// Counters in the order in which they are shown.
const std::vector<std::pair<const char *, uint64_t hipsim_statistics::*>> &counterNames() {
  using S = hipsim_statistics;
  static const std::vector<std::pair<const char *, uint64_t S::*>> names = {
      {"workgroups", &S::workgroups}, {"waves", &S::waves},     {"scalar", &S::scalar},
      {"scalar_memory", &S::scalar_memory}, {"branch", &S::branch}, {"control", &S::control},
      {"vector", &S::vector}, {"transcendental", &S::transcendental}, {"matrix", &S::matrix},
      {"lds", &S::lds}, {"global", &S::global}, {"buffer", &S::buffer}, {"scratch", &S::scratch}};
  return names;
}

Status Run::output() {
  for (const Dump &dump : dumps) {
    Expected<std::string> bytes = readBuffer(dump.argument);
    if (!bytes)
      return bytes.status();
    if (Status status = tool::writeOutput(dump.file, *bytes); !status.ok())
      return status;
  }
  hipsim_statistics statistics = {};
  statistics.struct_size = sizeof(statistics);
  hipsimStatistics(&statistics);
  if (options.json) {
    outputJson(statistics);
    return {};
  }
  return outputText(statistics);
}

Status Run::outputText(const hipsim_statistics &statistics) {
  constexpr uint64_t perLine = 8;
  for (const Print &p : prints) {
    Expected<std::string> bytes = readBuffer(p.argument);
    if (!bytes)
      return bytes.status();
    fmt::print("argument {}, {} of {}\n", p.argument, p.count, p.type->name);
    for (uint64_t i = 0; i < p.count; i += perLine) {
      std::string line = fmt::format("{:>6}:", i);
      for (uint64_t k = i; k < std::min(i + perLine, p.count); ++k) {
        tool::OrderedJson value = element(*p.type, *bytes, k);
        line += " " + (value.is_string() ? value.get<std::string>() : value.dump());
      }
      fmt::print("{}\n", line);
    }
  }
  if (options.stats) {
    fmt::print("kernel {} on {}, {:.6f} s\n", kernel->name, archName(object.arch), seconds);
    for (const auto &[name, member] : counterNames())
      fmt::print("{:>16} {}\n", name, statistics.*member);
  }
  return {};
}

void Run::outputJson(const hipsim_statistics &statistics) {
  tool::OrderedJson object = {{"kernel", kernel->name}, {"arch", archName(this->object.arch)},
                              {"grid", grid}, {"block", block}, {"seed", options.seed},
                              {"seconds", seconds}};
  if (options.stats)
    for (const auto &[name, member] : counterNames())
      object["statistics"][name] = statistics.*member;
  for (const Print &p : prints) {
    Expected<std::string> bytes = readBuffer(p.argument);
    tool::OrderedJson values = tool::OrderedJson::array();
    for (uint64_t i = 0; bytes && i < p.count; ++i)
      values.push_back(element(*p.type, *bytes, i));
    object["buffers"].push_back({{"argument", p.argument}, {"type", p.type->name}, {"values", values}});
  }
  tool::printJson(object);
}

constexpr const char *examples = R"(
Examples:
  hipsim-run add.hsaco --grid 16 --block 256 --arg ptr:iota:f32:4096 \
      --arg ptr:poison:16384 --arg u32:4096 --print 1:f32:8
  hipsim-run gemm.hsaco --kernel gemm --grid 8,4 --block 256 --lds 32768 \
      --arg ptr:file:a.bin --arg ptr:random:bf16:65536:7 --arg ptr:zeros:65536 \
      --dump 2:c.bin --stats --json
  hipsim-run k.hsaco --arg ptr:zeros:256 --trace 0,1
  hipsim-run k.hsaco --arg ptr:zeros:256 --break 0x40 --break helper+0x10
  hipsim-run k.hsaco --list

Data goes to stdout, talk to stderr; --json prints one object a line. Waves are
counted over the grid, those of workgroup 0 first. Breakpoints stop every wave.

Exit codes:
  0   ok
  1   a fault in the kernel, or a damaged code object
  2   flags, names, arguments or a launch that the kernel does not allow
  3   a file cannot be opened, read or written
  4   a code object for another architecture
  70  internal error)";

int parseAndRun(int argc, char **argv) {
  Options options;
  CLI::App app("Executes one kernel of a gfx942 or gfx950 code object on the simulator.", "hipsim-run");
  app.footer(argumentForms() + examples);
  app.get_formatter()->column_width(30);
  app.add_option("file", options.file, "Code object; - is stdin")->required()->type_name("KERNEL.hsaco");
  app.add_option("--kernel", options.kernel, "Kernel, if there are several")->type_name("NAME");
  app.add_option("--grid", options.grid, "Workgroups")->type_name("x,y,z")->capture_default_str();
  app.add_option("--block", options.block, "Work items of a workgroup")->type_name("x,y,z")->capture_default_str();
  app.add_option("--lds", options.lds, "Dynamic LDS")->type_name("BYTES")->check(CLI::Range(0, 1 << 20));
  // One value each: a SPEC never eats the words after it.
  auto many = [&](const char *name, std::vector<std::string> &out, const char *help, const char *type) {
    app.add_option(name, out, help)->type_name(type)->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  many("--arg", options.arguments, "An argument, see below", "SPEC");
  many("--print", options.prints, "Values of a buffer after the run", "N:TYPE:COUNT");
  many("--dump", options.dumps, "A buffer after the run, to a file", "N:FILE");
  app.add_option("--trace", options.trace, "Waves whose instructions are printed with the registers that change")->type_name("WAVE,..");
  many("--break", options.breakpoints, "Print registers and LDS of waves that come here", "SYMBOL[+0xN]|0xOFFSET");
  app.add_option("--break-hits", options.breakHits, "Stops that are printed")->type_name("N")->capture_default_str();
  app.add_option("--lanes", options.lanes, "Lanes of a register that are printed")->type_name("N")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_flag("--dump-registers", options.dumpRegisters, "All registers and LDS at the end of traced waves");
  app.add_option("--seed", options.seed, "Order of waves and workgroups")->type_name("N")->capture_default_str();
  app.add_flag("--stats", options.stats, "Instructions executed, by class");
  app.add_flag("--json", options.json, "One object a line");
  app.add_flag("--list", options.list, "List the kernels and stop");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    return report(usage(std::string(error.what()) + "\nTry 'hipsim-run --help'."));
  }
  return report(Run(options).execute());
}

} // namespace
} // namespace moec::hipsimrun

int main(int argc, char **argv) {
  moec::tool::startLog(false);
  try {
    return moec::hipsimrun::parseAndRun(argc, argv);
  } catch (const std::exception &error) {
    return moec::hipsimrun::report(moec::Status(
        moec::ErrorCode::Internal, std::string("unexpected failure: ") + error.what()));
  }
}
