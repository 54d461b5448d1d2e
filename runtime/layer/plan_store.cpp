// Lookup and acquisition of plans; see plan_store.h for the order.
#include "runtime/layer/plan_store.h"

#include "runtime/base/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace moec {
namespace {

/// The spelling by which problems are compared; a text that this library
/// cannot parse stands for itself.
std::string canonicalProblem(const std::string &text) {
  Expected<Problem> problem = parseProblem(text);
  return problem ? problem->canonical() : text;
}

/// One plan with its kernels, code and texts: a cache entry.
Bundle extractPlan(const Bundle &bundle, const Plan &plan) {
  Bundle part;
  part.producer = bundle.producer;
  part.target = bundle.target;
  part.texts = bundle.texts;
  std::map<uint32_t, uint32_t> kernels, codes;
  Plan copy = plan;
  for (Launch &launch : copy.launches) {
    auto [kernel, isNew] =
        kernels.try_emplace(launch.kernel, uint32_t(part.kernels.size()));
    if (isNew) {
      Kernel moved = bundle.kernels[launch.kernel];
      auto [code, newCode] =
          codes.try_emplace(moved.code, uint32_t(part.code.size()));
      if (newCode)
        part.code.push_back(bundle.code[moved.code]);
      moved.code = code->second;
      part.kernels.push_back(std::move(moved));
    }
    launch.kernel = kernel->second;
  }
  part.plans.push_back(std::move(copy));
  return part;
}

} // namespace

PlanStore::PlanStore(Options given)
    : options(std::move(given)), cache(options.cacheDirectory),
      worker(options.worker) {}

void PlanStore::say(const std::string &message) const {
  if (options.log)
    options.log(message);
}

Status PlanStore::add(Bundle bundle, const std::string &name) {
  if (bundle.target != options.target)
    return {ErrorCode::Unsupported,
            fmt::format("{}: the bundle is for the target '{}', the device is '{}'; "
                        "compile it with --target={}",
                        name, bundle.target, options.target, options.target)};
  addEntries(std::make_shared<const Bundle>(std::move(bundle)), {});
  return {};
}

void PlanStore::addEntries(std::shared_ptr<const Bundle> bundle,
                           const Origin &origin) {
  std::lock_guard lock(mutex);
  for (const Plan &plan : bundle->plans)
    entries.push_back({{bundle, &plan}, canonicalProblem(plan.problem), origin});
}

std::vector<PlanStore::Entry> PlanStore::matching(const PlanQuery &query) const {
  std::string problem = query.problem.canonical();
  std::lock_guard lock(mutex);
  std::vector<Entry> found;
  for (const Entry &entry : entries)
    if (entry.problem == problem &&
        (query.layer.empty() ? entry.origin.standalone == query.standalone
                             : entry.ref.plan->layer == query.layer))
      found.push_back(entry);
  return found;
}

Expected<std::string> PlanStore::resolveName(const PlanQuery &query) const {
  if (!query.layer.empty())
    return query.layer;
  std::set<std::string> names;
  for (const Entry &entry : matching(query))
    names.insert(entry.ref.plan->layer);
  if (names.size() > 1)
    return Status(ErrorCode::Usage,
                  fmt::format("the bundles have several plans for this problem: {}; "
                              "name one when the layer is created",
                              fmt::join(names, ", ")));
  return names.empty() ? std::string() : *names.begin();
}

std::vector<int64_t> PlanStore::knownBuckets(const PlanQuery &query) const {
  std::set<int64_t> buckets;
  for (const Entry &entry : matching(query))
    buckets.insert(entry.ref.plan->bucket);
  return {buckets.begin(), buckets.end()};
}

PlanRef PlanStore::find(const PlanQuery &query, int64_t bucket) const {
  for (const Entry &entry : matching(query))
    if (entry.ref.plan->bucket == bucket)
      return entry.ref;
  return {};
}

/// The text that further buckets of a known plan are compiled from: another
/// bucket must compute the same function as the ones at hand. "" for the layer
/// that the compiler selects for the problem.
Expected<std::string> PlanStore::layerText(const PlanQuery &query) const {
  std::vector<Entry> known = matching(query);
  if (known.empty())
    return std::string();
  if (known.front().origin.text)
    return *known.front().origin.text;
  const Bundle &bundle = *known.front().ref.bundle;
  const Text *only = nullptr;
  for (const Text &text : bundle.texts) {
    if (text.name == query.layer)
      return text.text;
    only = bundle.texts.size() == 1 ? &text : nullptr;
  }
  if (only)
    return only->text;
  return Status(ErrorCode::Unsupported,
                fmt::format("the bundle that has the plan '{}' does not carry its "
                            "text, so other buckets cannot be compiled",
                            query.layer));
}

/// Identifies the compiler by the content of its files: the worker and the
/// compiler library beside it. "" if there is none, or no cache: nothing is
/// cached then.
std::string PlanStore::compilerId() {
  std::call_once(compilerIdOnce, [&] {
    if (!cache.enabled())
      return;
    Expected<std::string> program = worker.program();
    if (!program)
      return;
    const char *chosen = std::getenv("MOEC_COMPILER");
    std::string directory = program->substr(0, program->rfind('/') + 1);
    std::string library = chosen && *chosen
                              ? chosen
                              : directory + "../lib/libmoec_compiler.so";
    Expected<std::string> first = readFile(*program);
    Expected<std::string> second = readFile(library);
    if (first)
      compilerHash = cacheKey({*first, second ? std::string_view(*second)
                                              : std::string_view()});
  });
  return compilerHash;
}

std::string PlanStore::keyOf(const PlanQuery &query, const std::string &text,
                             const std::string &compiler, int64_t bucket) const {
  return cacheKey({"plan", compiler, options.target, query.problem.canonical(),
                   query.standalone, text, std::to_string(bucket)});
}

/// Adds what the disk has; returns the buckets that it lacks. A cache that turns
/// out not to be trusted adds nothing, not even what was read before.
std::vector<int64_t> PlanStore::loadCached(const PlanQuery &query,
                                           const std::string &text,
                                           const std::string &compiler,
                                           const std::vector<int64_t> &buckets) {
  if (compiler.empty())
    return buckets;
  std::vector<int64_t> missing;
  std::vector<Bundle> found;
  for (int64_t bucket : buckets) {
    Expected<std::optional<Bundle>> entry =
        cache.load(keyOf(query, text, compiler, bucket));
    if (!entry) {
      say(entry.status().message());
      return buckets; // As with a cold cache.
    }
    if (*entry && (*entry)->target == options.target)
      found.push_back(std::move(**entry));
    else
      missing.push_back(bucket);
  }
  for (Bundle &bundle : found)
    addEntries(std::make_shared<const Bundle>(std::move(bundle)),
               {text, query.standalone});
  return missing;
}

Status PlanStore::compile(const PlanQuery &query, const std::string &text,
                          const std::string &compiler,
                          const std::vector<int64_t> &buckets) {
  nlohmann::json request = {
      {"op", "compile"},
      {"target", options.target},
      {"problem", nlohmann::json::parse(query.problem.canonical())},
      {"buckets", buckets},
      {"emit", "bundle"}};
  if (!query.standalone.empty())
    request["standalone"] = query.standalone;
  if (!text.empty())
    request["inputs"] = nlohmann::json::array(
        {nlohmann::json{{"name", query.layer + ".mlir"}, {"text", text}}});
  std::string json = request.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string what = fmt::format("compiling buckets {}", fmt::join(buckets, ", "));
  Expected<std::string> reply = worker.request(json);
  if (!reply)
    return reply.status().withContext(what);
  Expected<Bundle> bundle = readBundle(
      {reinterpret_cast<const uint8_t *>(reply->data()), reply->size()},
      "the compiler's reply");
  if (!bundle)
    return bundle.status().withContext(what);
  if (bundle->target != options.target)
    return {ErrorCode::Internal,
            fmt::format("{}: the reply is for '{}', asked for '{}'", what,
                        bundle->target, options.target)};
  auto shared = std::make_shared<const Bundle>(bundle.take());
  addEntries(shared, {text, query.standalone});
  if (!compiler.empty())
    for (const Plan &plan : shared->plans) {
      Status stored = cache.store(keyOf(query, text, compiler, plan.bucket),
                                  extractPlan(*shared, plan));
      if (!stored.ok())
        say("not cached: " + stored.message());
    }
  return {};
}

Expected<std::vector<PlanRef>>
PlanStore::obtain(PlanQuery &query, const std::vector<int64_t> &buckets) {
  Expected<std::string> name = resolveName(query);
  if (!name)
    return name.status();
  query.layer = *name;
  std::vector<int64_t> missing;
  for (int64_t bucket : buckets)
    if (!find(query, bucket))
      missing.push_back(bucket);
  if (!missing.empty()) {
    Expected<std::string> text = layerText(query);
    if (!text)
      return text.status();
    std::string compiler = compilerId();
    std::vector<int64_t> uncached = loadCached(query, *text, compiler, missing);
    if (!uncached.empty() && options.neverCompile)
      return Status(
          ErrorCode::NotPrepared,
          fmt::format("no plan for buckets {} and compiling is off; at hand are "
                      "buckets {}; give a bundle that has them",
                      fmt::join(uncached, ", "),
                      knownBuckets(query).empty()
                          ? "none"
                          : fmt::format("{}", fmt::join(knownBuckets(query), ", "))));
    if (!uncached.empty())
      if (Status s = compile(query, *text, compiler, uncached); !s.ok())
        return s;
  }
  // A compiled layer brings its name along.
  name = resolveName(query);
  if (!name)
    return name.status();
  query.layer = *name;
  std::vector<PlanRef> plans;
  for (int64_t bucket : buckets) {
    PlanRef plan = find(query, bucket);
    if (!plan)
      return Status(ErrorCode::Internal,
                    fmt::format("the compiler's reply lacks the plan '{}' for "
                                "bucket {}",
                                query.layer, bucket));
    plans.push_back(plan);
  }
  return plans;
}

} // namespace moec
