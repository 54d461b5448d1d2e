// Workgroups of a launch on the threads of the host.
//
// A thread runs one workgroup until it ends or is preempted: a group that
// sleeps or spins must not keep groups it waits for from starting.
#include "runtime/hipsim/exec/workgroup.h"

#include "runtime/hipsim/checks/check_set.h"
#include "runtime/hipsim/checks/weak_memory.h"

#include <condition_variable>
#include <deque>
#include <thread>

using namespace hipsim;

namespace {

/// Steps of a workgroup between looks at the others.
constexpr uint64_t sliceSteps = 2'000'000;
/// Workgroups started and not ended, at most.
constexpr uint64_t residentLimit = 2048;

using GroupPtr = std::unique_ptr<ResidentGroup>;

class Scheduler {
public:
  explicit Scheduler(Dispatch &dispatch)
      : dispatch(dispatch), total(uint64_t(dispatch.grid[0]) *
                                  dispatch.grid[1] * dispatch.grid[2]) {
    // Start order: multiples of a stride that has no factor in common with
    // the number of groups; seed 0 keeps the natural order.
    Random random(dispatch.seed);
    if (dispatch.seed && total > 2) {
      stride = 1 + random.next(uint32_t(total - 1));
      while (gcd(stride, total) != 1)
        ++stride;
    }
  }

  void work() {
    while (GroupPtr group = take()) {
      uint64_t before = group->group.progress;
      auto outcome = group->run(sliceSteps);
      uint64_t written = group->group.progress - before;
      if (written)
        dispatch.progress.fetch_add(written);
      if (outcome == ResidentGroup::Outcome::Preempted) {
        if (!written)
          examine(*group);
        putBack(std::move(group));
      } else {
        retire(std::move(group));
      }
      if (dispatch.stop)
        return;
    }
  }

private:
  static uint64_t gcd(uint64_t a, uint64_t b) { return b ? gcd(b, a % b) : a; }

  /// The next group to run: a new one while there is room, else the one that
  /// has waited longest. Null: nothing is left for this thread.
  GroupPtr take() {
    std::unique_lock lock(mutex);
    for (;;) {
      if (dispatch.stop)
        return nullptr;
      bool canStart = started < total && resident < residentLimit;
      if (canStart) {
        uint64_t id = total > 2 ? started * stride % total : started;
        ++started;
        ++resident;
        ++running;
        lock.unlock();
        dispatch.progress.fetch_add(1);
        return std::make_unique<ResidentGroup>(dispatch, id);
      }
      // A group that was found spinning can only be helped by a write.
      uint64_t progress = dispatch.progress.load();
      for (auto it = waiting.begin(); it != waiting.end(); ++it) {
        if ((*it)->stuckAtProgress == progress)
          continue;
        GroupPtr group = std::move(*it);
        waiting.erase(it);
        ++running;
        return group;
      }
      if (running == 0) {
        if (!waiting.empty())
          reportDeadlock();
        changed.notify_all();
        return nullptr;
      }
      changed.wait(lock);
    }
  }

  void examine(ResidentGroup &group) {
    // Before the examination: a later write must wake the group.
    uint64_t progress = dispatch.progress.load();
    group.stuckAtProgress = group.isSpinning() ? progress : ~0ull;
  }

  void putBack(GroupPtr group) {
    std::lock_guard lock(mutex);
    --running;
    waiting.push_back(std::move(group));
    changed.notify_all();
  }

  /// No group runs and none that has started can go on.
  void reportDeadlock() {
    std::string text = "hipsim: deadlock: no wave can make progress\n  kernel      " +
                       dispatch.kernel->name + "\n  seed        " +
                       std::to_string(dispatch.seed) + " (HIPSIM_SEED)\n";
    size_t shown = 0;
    for (const GroupPtr &group : waiting)
      if (shown++ < 8)
        text += group->describeWaves();
    if (shown > 8)
      text += "  and " + std::to_string(shown - 8) + " more workgroups\n";
    if (started < total)
      text += "  " + std::to_string(total - started) +
              " workgroups have not started: they would need the place of a "
              "spinning one\n";
    std::lock_guard lock(dispatch.mutex);
    if (!dispatch.failed) {
      dispatch.failed = true;
      dispatch.error = {FaultKind::Deadlock, std::move(text)};
    }
    dispatch.stop = true;
  }

  void retire(GroupPtr group) {
    if (group->trace)
      dispatch.recorder->end(std::move(group->trace));
    std::lock_guard lock(mutex);
    for (const Wave &w : group->waves)
      for (uint32_t c = 0; c < uint32_t(StepClass::Count); ++c)
        dispatch.counters.steps[c] += w.executed[c];
    dispatch.counters.waves += group->waves.size();
    ++dispatch.counters.workgroups;
    dispatch.progress.fetch_add(1);
    --running;
    --resident;
    changed.notify_all();
  }

  Dispatch &dispatch;
  const uint64_t total;
  uint64_t stride = 1;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<GroupPtr> waiting;
  uint64_t started = 0, resident = 0;
  uint32_t running = 0;
};

} // namespace

bool hipsim::runDispatch(Dispatch &dispatch, uint32_t threads) {
  uint64_t total = uint64_t(dispatch.grid[0]) * dispatch.grid[1] * dispatch.grid[2];
  if (dispatch.checks & CheckWeak) {
    dispatch.weak = std::make_shared<WeakMemory>(dispatch.seed);
    threads = 1;
  }
  Scheduler scheduler(dispatch);
  std::vector<std::thread> helpers;
  for (uint64_t i = 1; i < threads && i < total; ++i)
    helpers.emplace_back([&] { scheduler.work(); });
  scheduler.work();
  for (std::thread &helper : helpers)
    helper.join();
  dispatch.weak.reset(); // The end of a kernel is a release.
  return !dispatch.failed;
}
