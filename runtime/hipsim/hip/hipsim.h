// hipsim's own functions, beyond HIP: what makes the simulator an instrument.
//
// A program finds them with dlsym in the HIP library that it has opened; on a
// GPU's library they are missing. C11 and C++. Return values are hipError_t
// codes (0: ok).
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIPSIM_API __attribute__((visibility("default")))

/// `struct_size` is set by the caller; other fields that are zero mean the
/// default.
typedef struct hipsim_profile_options {
  size_t struct_size;
  uint32_t sample_workgroups;  ///< Recorded in detail, a launch; default 48.
  uint32_t packed_f32_overlaps; ///< 1: v_pk_*_f32 at the datasheet's rate.
  uint64_t seed;               ///< Of the sample; default 1.
} hipsim_profile_options;

/// From now on the time of each launch is predicted by the timing model
/// (runtime/hipsim/timing/README.md). `options` may be null. Waits for launches
/// before it; hipErrorInvalidValue for a bad struct_size or when a profile is
/// being taken. Thread-safe.
HIPSIM_API int hipsimProfileBegin(const hipsim_profile_options *options);

/// Waits for the launches, ends the profile and returns it as JSON, which is
/// valid until the next call on the same thread. hipErrorInvalidValue when none
/// is being taken; the sticky error of a device that has one. Thread-safe.
HIPSIM_API int hipsimProfileEnd(const char **json);

#ifdef __cplusplus
}
#endif
