// The session; see profile.h.
#include "runtime/hipsim/timing/profile.h"

namespace hipsim::timing {

std::unique_ptr<Recorder> Profile::recorderFor(const Dispatch &d) const {
  uint64_t workgroups = uint64_t(d.grid[0]) * d.grid[1] * d.grid[2];
  return std::make_unique<Recorder>(workgroups, options.sample, options.seed);
}

void Profile::add(const Dispatch &dispatch, Recorder &recorder) {
  std::lock_guard lock(mutex);
  Prediction p = predict(dispatch, recorder, options.model, mall);
  writeKernel(kernels, p, *dispatch.program);
  totalUs += p.us();
  arch = dispatch.program->object().arch;
  ++launches;
}

std::string Profile::json() {
  std::lock_guard lock(mutex);
  JsonWriter json;
  json.object().field("model", "hipsim timing model 1");
  json.field("note", "Every time is predicted by a model, not measured.");
  json.field("sample_seed", options.seed);
  json.field("packed_f32_overlaps", options.model.packedFloatOverlaps);
  json.field("launches", launches).field("predicted_us", totalUs);
  json.key("rates");
  writeRates(json, arch);
  json.text += ",\"kernels\":[" + kernels.text + "]}\n";
  return std::move(json.text);
}

} // namespace hipsim::timing
