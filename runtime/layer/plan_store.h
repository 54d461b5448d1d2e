// Plans by what they are for, wherever they come from.
//
// Looks in the bundles that were given, then in what was compiled before, then
// in the disk cache, and asks the worker last. It knows no stage and no layer:
// names are compared, never interpreted.
#pragma once

#include "runtime/base/problem.h"
#include "runtime/cache/cache.h"
#include "runtime/worker/worker_client.h"

#include <functional>
#include <memory>
#include <mutex>

namespace moec {

/// What a plan is looked up by.
struct PlanQuery {
  std::string layer; ///< Name of the plan's layer; "" if there is only one.
  /// Stage to compile as a plan of its own, for which the compiler finds the
  /// name; "" for the layer of the problem.
  std::string standalone;
  Problem problem;
};

/// A plan and the bundle that keeps it alive.
struct PlanRef {
  std::shared_ptr<const Bundle> bundle;
  const Plan *plan = nullptr;
  explicit operator bool() const { return plan != nullptr; }
};

class PlanStore {
public:
  struct Options {
    std::string target;
    std::string cacheDirectory;
    bool neverCompile = false;
    WorkerClient::Options worker;
    std::function<void(const std::string &)> log; ///< May be empty.
  };

  explicit PlanStore(Options options);

  /// Adds a bundle; an error if it is of another target.
  Status add(Bundle bundle, const std::string &name);

  /// The name of the layer that `query` means among the known plans: "" if
  /// there is none, an error that lists them if there are several.
  Expected<std::string> resolveName(const PlanQuery &query) const;

  /// Buckets for which plans are at hand, ascending.
  std::vector<int64_t> knownBuckets(const PlanQuery &query) const;

  /// The plan for exactly `bucket` if it is at hand.
  PlanRef find(const PlanQuery &query, int64_t bucket) const;

  /// Plans for all `buckets`; compiles what is missing. `query.layer` is
  /// filled in if it was empty.
  Expected<std::vector<PlanRef>> obtain(PlanQuery &query,
                                        const std::vector<int64_t> &buckets);

private:
  /// What a plan was compiled from here, as in the request. No text: a bundle
  /// that was given, which carries its own.
  struct Origin {
    std::optional<std::string> text;
    std::string standalone;
  };
  struct Entry {
    PlanRef ref;
    std::string problem; ///< Canonical.
    Origin origin;
  };

  void addEntries(std::shared_ptr<const Bundle> bundle,
                  const Origin &origin);
  std::vector<Entry> matching(const PlanQuery &query) const;
  std::vector<int64_t> loadCached(const PlanQuery &query, const std::string &text,
                                  const std::string &compiler,
                                  const std::vector<int64_t> &buckets);
  Status compile(const PlanQuery &query, const std::string &text,
                 const std::string &compiler,
                 const std::vector<int64_t> &buckets);
  Expected<std::string> layerText(const PlanQuery &query) const;
  std::string compilerId();
  std::string keyOf(const PlanQuery &query, const std::string &text,
                    const std::string &compiler, int64_t bucket) const;
  void say(const std::string &message) const;

  Options options;
  Cache cache;
  WorkerClient worker;
  mutable std::mutex mutex; ///< Guards `entries`.
  std::vector<Entry> entries;
  std::once_flag compilerIdOnce;
  std::string compilerHash;
};

} // namespace moec
