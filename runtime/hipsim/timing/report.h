// Predictions as JSON; what hipsimProfileEnd returns and `moec profile` reads.
#pragma once

#include "runtime/hipsim/timing/json_writer.h"
#include "runtime/hipsim/timing/predict.h"

namespace hipsim::timing {

/// One object.
void writeKernel(JsonWriter &json, const Prediction &prediction, const Program &program);

/// The rates, with their sources: the value of "rates".
void writeRates(JsonWriter &json, Arch arch);

} // namespace hipsim::timing
