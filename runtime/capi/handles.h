// What the opaque handles of moec.h are.
#pragma once

#include "runtime/capi/convert.h"
#include "runtime/layer/layer.h"

struct moec_context {
  std::unique_ptr<moec::Context> impl;
};

struct moec_layer {
  moec::Layer impl;
};
