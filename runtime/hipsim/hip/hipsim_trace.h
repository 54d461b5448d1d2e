/// hipsim_trace.h: a trace of chosen waves, and breakpoints.
///
/// A host program sets a callback; launches made afterwards call it on the
/// thread that runs the wave: after every instruction of the traced waves, and
/// before an instruction with a breakpoint. Such launches run on one thread.
/// Structs begin with `struct_size`, which the owner of the struct sets.
#ifndef HIPSIM_TRACE_H
#define HIPSIM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIPSIM_TRACE_EXPORT __attribute__((visibility("default")))

/// A wave that is stopped in a callback. Valid until the callback returns.
typedef struct hipsim_wave_view hipsim_wave_view;

/// Register files. Scalar registers have the numbers of the instruction set:
/// 106 and 107 are vcc, 124 is m0, 126 and 127 are exec.
enum {
  HIPSIM_SCALAR = 's',
  HIPSIM_VECTOR = 'v',
  HIPSIM_ACCUMULATION = 'a',
  HIPSIM_SCC = 'c', ///< One register, number 0.
};

/// What an event is about.
enum {
  HIPSIM_TRACE_BREAK = 0, ///< The instruction is about to be executed.
  HIPSIM_TRACE_STEP = 1,  ///< The instruction has been executed.
};

/// A register that the instruction gave another value.
typedef struct hipsim_register_change {
  uint32_t file;
  uint32_t index;
  uint64_t lanes; ///< Bit l: lane l changed. Scalar registers: 1.
} hipsim_register_change;

typedef struct hipsim_trace_event {
  size_t struct_size;
  uint32_t when;          ///< HIPSIM_TRACE_BREAK or HIPSIM_TRACE_STEP.
  uint32_t wave;          ///< In its workgroup.
  uint32_t workgroup[3];
  uint64_t wave_in_grid;  ///< Waves of workgroup 0 first, x fastest.
  uint64_t executed;      ///< Instructions of this wave, this one included.
  uint64_t pc;            ///< Byte offset in .text.
  uint64_t kernel_entry;  ///< The same of the kernel's first instruction.
  const char *kernel;
  const char *instruction; ///< In LLVM's syntax.
  const hipsim_register_change *changes; ///< Of a step.
  size_t change_count;
  const hipsim_wave_view *view;
} hipsim_trace_event;

/// Must not call HIP functions.
typedef void (*hipsim_trace_callback)(const hipsim_trace_event *event, void *user);

typedef struct hipsim_trace_options {
  size_t struct_size;
  const uint64_t *waves; ///< Numbers in the grid of the waves to trace.
  size_t wave_count;
  const uint64_t *breakpoints; ///< Byte offsets in .text; every wave stops.
  size_t breakpoint_count;
  hipsim_trace_callback callback;
  void *user;
} hipsim_trace_options;

/// Sets what launches of this process trace from now on; null: nothing. Copies
/// its argument. 0, or 1 for a struct of unknown size or without a callback.
HIPSIM_TRACE_EXPORT int hipsimTrace(const hipsim_trace_options *options);

/// Registers that the kernel has, by file.
HIPSIM_TRACE_EXPORT uint32_t hipsimTraceRegisters(const hipsim_wave_view *view, uint32_t file);
/// Reads a register: 64 lanes, or one value of a scalar one. 0, or 1 when there
/// is no such register.
HIPSIM_TRACE_EXPORT int hipsimTraceRead(const hipsim_wave_view *view, uint32_t file, uint32_t index, uint32_t *lanes);
/// The LDS of the wave's workgroup.
HIPSIM_TRACE_EXPORT const uint8_t *hipsimTraceLds(const hipsim_wave_view *view, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
