// libmoec_compiler.so through its C interface: requests, replies, bundles.

#include "compiler/include/moec/compiler.h"

#include "runtime/bundle/bundle.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <thread>

using Json = nlohmann::json;

namespace {

struct Reply {
  int status;
  Json meta;
  std::string data;

  std::string message(size_t i = 0) const {
    return meta["diagnostics"].at(i)["message"];
  }
};

Reply invokeText(const std::string &request) {
  moec_compiler_reply *reply =
      moec_compiler_invoke(request.data(), request.size());
  Reply result{reply->status,
               Json::parse(std::string(reply->meta, reply->meta_size)),
               std::string(reply->data, reply->data_size)};
  moec_compiler_reply_destroy(reply);
  return result;
}

Reply invoke(const Json &request) { return invokeText(request.dump()); }

std::string readKernel(const std::string &path) {
  std::ifstream stream(MOEC_SOURCE "/kernels/" + path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Json input(const std::string &path) {
  return {{"name", path}, {"text", readKernel(path)}};
}

const Json smallProblem = {{"hidden", 256}, {"inter", 128},      {"experts", 8},
                           {"topk", 2},     {"weights", "int4"}, {"group", 32}};

Json compileRequest() {
  return {{"op", "compile"}, {"target", "gfx942"}, {"problem", smallProblem}};
}

moec::Bundle read(const Reply &reply) {
  std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(reply.data.data()), reply.data.size());
  auto bundle = moec::readBundle(bytes, "reply");
  INFO(bundle.status().message());
  REQUIRE(bundle);
  return bundle.take();
}

} // namespace

TEST_CASE("Library_Identity_IsKnown") {
  CHECK(moec_compiler_abi() == MOEC_COMPILER_ABI);
  CHECK(std::string(moec_compiler_build_id()).starts_with("moec "));
  moec_compiler_reply_destroy(nullptr); // Legal, as free() is.
}

TEST_CASE("Layer_OfAProblem_BecomesABundle") {
  Json request = compileRequest();
  request["buckets"] = {16, 1, 16};
  Reply reply = invoke(request);
  INFO(reply.meta.dump());
  REQUIRE(reply.status == 0);
  moec::Bundle bundle = read(reply);
  CHECK(bundle.target == "gfx942");
  CHECK(bundle.producer == moec_compiler_build_id());
  // Two buckets, sorted, one plan each.
  REQUIRE(bundle.plans.size() == 2);
  CHECK(bundle.plans[0].bucket == 1);
  CHECK(bundle.plans[1].bucket == 16);
  REQUIRE(bundle.texts.size() == 1);
  CHECK(bundle.texts[0].text.find("moe.stage @down") != std::string::npos);
  for (const moec::Kernel &kernel : bundle.kernels) {
    INFO(kernel.name);
    CHECK(kernel.vgprSpills == 0);
    CHECK(kernel.scratchBytes == 0);
    CHECK(kernel.block[0] > 0);
    CHECK(kernel.wavesPerSimd > 0);
  }
  for (const moec::Plan &plan : bundle.plans)
    for (const moec::Launch &launch : plan.launches)
      CHECK(launch.args.size() == bundle.kernels[launch.kernel].args.size());
  CHECK(reply.meta["stats"].size() == bundle.kernels.size());
  CHECK(invoke(request).data == reply.data); // Content only, no time in it.
}

TEST_CASE("Rungs_OfAStage_PrintAndGoOn") {
  std::string previous = readKernel("stages/gate_up.mlir");
  for (const char *rung : {"tile", "rocdl", "llvm"}) {
    Json request = compileRequest();
    request["inputs"] = {{{"name", "in.mlir"}, {"text", previous}}};
    request["emit"] = rung;
    Reply reply = invoke(request);
    INFO(rung << reply.meta.dump());
    REQUIRE(reply.status == 0);
    previous = reply.data;
  }
  Json request = compileRequest();
  request["inputs"] = {{{"name", "in.mlir"}, {"text", previous}}};
  request["emit"] = "hsaco";
  Reply reply = invoke(request);
  INFO(reply.meta.dump());
  REQUIRE(reply.status == 0);
  CHECK(reply.data.substr(1, 3) == "ELF");
}

TEST_CASE("Stage_Alone_GetsAPlanOfItsOwn") {
  Json request = compileRequest();
  request["standalone"] = "down";
  Reply reply = invoke(request);
  INFO(reply.meta.dump());
  REQUIRE(reply.status == 0);
  moec::Bundle bundle = read(reply);
  REQUIRE(bundle.plans.size() == 1);
  CHECK(bundle.plans[0].layer == "down_alone");
  bool hasW2 = false;
  for (const moec::Tensor &tensor : bundle.plans[0].tensors)
    hasW2 |= tensor.name == "w2";
  CHECK(hasW2); // As the layer calls it.
}

TEST_CASE("BadInput_EveryKind_SaysWhatIsWrong") {
  struct Row {
    const char *patch; ///< Merged into a good request.
    int status;
    const char *message;
  };
  const Row rows[] = {
      {R"({"target": "gfx90"})", 2,
       "request: unknown target 'gfx90'; known: gfx942, gfx950"},
      {R"({"target": null})", 2, "request: no target; known: gfx942, gfx950"},
      {R"({"emit": "ptx"})", 2,
       "request: unknown emit 'ptx'; known: stage, tile, rocdl, llvm, asm, "
       "hsaco, bundle"},
      {R"({"buckets": []})", 2,
       "request: \"buckets\" must be a non-empty array of numbers of tokens >= "
       "1, found []"},
      {R"({"tokens": 3})", 2,
       "request: unknown field 'tokens'; known: op, target, problem, buckets, "
       "inputs, standalone, schedule, from, emit"},
      {R"({"problem": null})", 2,
       "stages and layers need a problem that binds their sizes (H, I, E, K); "
       "give one with \"problem\""},
      {R"({"from": "tile"})", 2,
       "from=tile, but the inputs are of the rung 'stage'"},
      {R"({"standalone": "gate"})", 2,
       "unknown stage @gate; known: @down, @gate_up"},
      {R"({"emit": "hsaco"})", 2,
       "emit=hsaco makes one code object, and this "
       "request has "},
      {R"({"inputs": [{"name": "a.mlir", "text": "module {}"}]})", 1,
       "input 'a.mlir' holds nothing to compile"},
      {R"({"inputs": [{"name": "a.mlir", "text": "func.func @f() { return }"}]})",
       1,
       "'func.func' at the top of an input; expected moe.stage, moe.layer, "
       "tile.program, gpu.module, or llvm.func only"},
  };
  for (const Row &row : rows) {
    Json request = compileRequest();
    request.merge_patch(Json::parse(row.patch));
    Reply reply = invoke(request);
    INFO(row.patch << " -> " << reply.meta.dump());
    CHECK(reply.status == row.status);
    CHECK(reply.data.empty());
    CHECK(reply.message().starts_with(row.message));
  }
  CHECK(invokeText("{").message() == "request: not a JSON object");
}

TEST_CASE("Diagnostics_OfAnInput_CarryItsPlace") {
  Json request = compileRequest();
  std::string text = readKernel("stages/gate_up.mlir");
  text.replace(text.find("moe.silu"), 8, "moe.sulu");
  request["inputs"] = {{{"name", "my/gate_up.mlir"}, {"text", text}}};
  Reply reply = invoke(request);
  REQUIRE(reply.status == 1);
  Json diagnostic = reply.meta["diagnostics"][0];
  CHECK(diagnostic["file"] == "my/gate_up.mlir");
  auto until = text.begin() + std::ptrdiff_t(text.find("moe.sulu"));
  CHECK(diagnostic["line"] == 1 + std::count(text.begin(), until, '\n'));
  CHECK(diagnostic["severity"] == "error");
}

TEST_CASE("Targets_AsJson_ListEveryRow") {
  Json targets = Json::parse(invoke({{"op", "targets"}}).data);
  REQUIRE(targets.size() == 2);
  CHECK(targets[0]["name"] == "gfx942");
  CHECK(targets[0]["lds_bytes"] == 65536);
}

TEST_CASE("Describe_Stages_SaysTheirFormats") {
  Reply reply =
      invoke({{"op", "describe"}, {"inputs", {input("stages/gate_up.mlir")}}});
  REQUIRE(reply.status == 0);
  Json stages = Json::parse(reply.data);
  REQUIRE(stages.size() == 1);
  CHECK(stages[0]["stage"] == "gate_up");
  CHECK(stages[0]["projections"] == 2);
}

TEST_CASE("Requests_OnSeveralThreads_GiveTheSame") {
  Json request = compileRequest();
  std::string expected = invoke(request).data;
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string &data : got)
    threads.emplace_back([&] { data = invoke(request).data; });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &data : got)
    CHECK(data == expected);
}

TEST_CASE("Stage_OfNoLayer_IsCompiledAloneOrRefused") {
  std::string text = readKernel("stages/gate_up.mlir");
  text.replace(text.find("@gate_up"), 8, "@my_stage");
  Json request = compileRequest();
  Json mine = {{"name", "my.mlir"}, {"text", text}};
  request["inputs"] = {mine};
  Reply reply = invoke(request);
  INFO(reply.meta.dump());
  REQUIRE(reply.status == 0);
  CHECK(read(reply).plans[0].layer == "my_stage_alone");
  // Beside a stage of the layer it is no longer clear what is wanted.
  request["inputs"] = {mine, input("stages/down.mlir")};
  reply = invoke(request);
  CHECK(reply.status == 2);
  CHECK(
      reply.message() ==
      "stage @my_stage is not applied by the layer @int4_silu; give it alone, "
      "or with a layer that applies it");
  CHECK(reply.meta["diagnostics"][0]["file"] == "my.mlir");
}
