/* The C interface of libmoec_compiler: one request in, one reply out.
 *
 * The tools open this library when they need it (dlopen, found beside the
 * tool or named by MOEC_COMPILER); the runtime never does: it asks a worker
 * process, `moec worker`, which serves the same requests over a pipe.
 *
 * Threads: every function may be called from any thread, calls may run
 * concurrently. Nothing throws, aborts or exits; an LLVM failure comes back as
 * a reply with status 70 and the path of a reproducer.
 */
#ifndef MOEC_COMPILER_H
#define MOEC_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOEC_COMPILER_ABI 1
#if defined(__GNUC__)
#define MOEC_COMPILER_API __attribute__((visibility("default")))
#else
#define MOEC_COMPILER_API
#endif

/* ABI version of the library (MOEC_COMPILER_ABI) and its build id, a string
 * derived from the content of the compiler's sources; static storage. */
MOEC_COMPILER_API int moec_compiler_abi(void);
MOEC_COMPILER_API const char *moec_compiler_build_id(void);

/* A reply, owned by the caller. `status` is 0 or an exit code of the tools
 * (1 content, 2 usage, 4 unsupported, 70 internal). `meta` is JSON:
 *   {"diagnostics": [{"severity": "error", "file": "a.mlir", "line": 3,
 *                     "column": 7, "message": "..."}],
 *    "stats": [{"kernel", "ms_total", "ms_passes", "ms_llvm", "ms_link"}],
 *    "reproducer": "/tmp/..."}                      (fields absent when empty)
 * `data` is what was asked for: a bundle (runtime/bundle), text, or a code
 * object; empty unless status is 0. */
typedef struct moec_compiler_reply {
  int status;
  const char *meta;
  size_t meta_size;
  const char *data;
  size_t data_size;
} moec_compiler_reply;

/* Serves one request, JSON of `size` bytes. Never returns NULL.
 *
 * {"op": "compile",
 *  "target": "gfx942",
 *  "problem": {...},                     // as in kernels/problems.json
 *  "buckets": [1, 16],                   // tokens; default [16]
 *  "inputs": [{"name": "a.mlir", "text": "..."}],   // stages, layers or a
 *                                        // lower rung; default: the layer
 *                                        // that the problem selects
 *  "standalone": "gate_up",              // a plan for this stage alone
 *  "schedule": "#tile.schedule<...>",    // instead of the chosen one
 *  "from": "tile",                       // checked against the inputs; may
 *                                        // be left out: seen from them
 *  "emit": "bundle"}    // or stage, tile, rocdl, llvm, asm, hsaco
 * {"op": "targets"}     -> data: JSON array of the target table
 * {"op": "describe", "inputs": [...]}
 *                       -> data: JSON array, what each stage of the inputs
 *                          says of its formats and sizes, no problem needed
 */
MOEC_COMPILER_API moec_compiler_reply *
moec_compiler_invoke(const char *request, size_t size);
MOEC_COMPILER_API void moec_compiler_reply_destroy(moec_compiler_reply *reply);

/* Weights of one expert in the source layout (`ct_pack`, stacked: values
 * [n, k/8] i32 as 8 offset nibbles, scales [n, ceil(k/group)]). Fills both
 * buffers of the sizes given. Called from several threads. Returns 0 or an
 * exit code, which ends the run. */
typedef int (*moec_reference_weights)(void *context, const char *tensor,
                                      int64_t expert, void *values,
                                      size_t values_size, void *scales,
                                      size_t scales_size);

/* Runs a layer in the reference interpreter (f64, rounded where the stage's
 * types say so).
 *   module, module_size  text of a module with one moe.layer and its stages
 *   problem              JSON that binds the symbols
 *   tokens               M
 *   tensors              named inputs: "x" bf16 [M, hidden], "topk_ids" i32
 *                        [M, topk], "topk_weights" f32 [M, topk]
 *   result               f32, row-major, M rows (a layer whose result has one
 *                        row a pair: M*topk rows; pairs without a valid expert
 *                        are zero)
 *   result_size          bytes; a wrong size is an error that says the right
 *                        one
 * Returns a reply with empty data. */
typedef struct moec_reference_tensor {
  const char *name;
  const void *data;
  size_t size;
} moec_reference_tensor;

MOEC_COMPILER_API moec_compiler_reply *moec_reference_run(
    const char *module, size_t module_size, const char *problem,
    int64_t tokens, const moec_reference_tensor *tensors, size_t tensor_count,
    moec_reference_weights weights, void *weights_context, float *result,
    size_t result_size);

#ifdef __cplusplus
}
#endif
#endif /* MOEC_COMPILER_H */
