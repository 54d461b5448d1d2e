/* moec: Mixture-of-Experts layers, the C interface of libmoec.
 *
 * A program creates a context (one device), a layer (one problem), binds and
 * packs the layer's weights, prepares the numbers of tokens it will run, and
 * then calls forward, which only launches:
 *
 *     moec_context *context;
 *     moec_context_options device = {.struct_size = sizeof device};
 *     CHECK(moec_context_create(&device, &context));
 *     CHECK(moec_context_add_bundle_file(context, "kimi.moec"));
 *     moec_layer *layer;
 *     CHECK(moec_layer_create(context, &problem, NULL, &layer));
 *     CHECK(moec_layer_bind_weights(layer, &w13));
 *     CHECK(moec_layer_bind_weights(layer, &w2));
 *     CHECK(moec_layer_pack_weights(layer, "w13", 0, experts));
 *     CHECK(moec_layer_pack_weights(layer, "w2", 0, experts));
 *     CHECK(moec_layer_prepare(layer, &buckets));
 *     CHECK(moec_layer_forward(layer, &arguments));    // any number of times
 *
 * Conventions, which hold for every call unless it says otherwise:
 *
 * Errors      A call returns NULL for success, or an error object that the
 *             caller owns: read it, then moec_error_destroy. Outputs are
 *             written on success only. Nothing throws, aborts, prints or exits.
 * Structs     Begin with struct_size, which the caller sets to the sizeof that
 *             it was compiled with. All other fields may be zero, which means
 *             the default. A newer caller's fields that this library does not
 *             know must be zero, or the call is refused.
 * Ownership   Handles are destroyed by the caller; destroying NULL does nothing.
 *             Strings and arrays given to a call are copied, or no longer used
 *             when it returns. Weights and workspaces are used in place and must
 *             outlive the layer (or their replacement). A context must outlive
 *             its layers.
 * Threads     A call that takes `const` of a handle may run concurrently with
 *             others that do; all other calls on one handle must not run at the
 *             same time. Calls on different handles may always run at the same
 *             time, layers of one context among them.
 * Devices     A context belongs to one device. The calling thread's current
 *             device is restored. There are no internal streams or threads left
 *             behind, except one idle compiler process after a compilation.
 * Capture     Only moec_layer_forward and the queries may be called while a
 *             stream is being captured.
 * Numbers     Sizes are counted in elements, `_bytes` in bytes. Tensors are
 *             row-major and dense.
 *
 * Environment, read when it is first needed; options of the context come first:
 *   MOEC_HIP_LIBRARY  HIP library to load, e.g. libhipsim.so
 *   MOEC_WORKER       the program `moec`, which compiles what is missing
 *   MOEC_CACHE_DIR    directory of compiled kernels; empty: no cache
 */
#ifndef MOEC_H
#define MOEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MOEC_API __attribute__((visibility("default")))
#else
#define MOEC_API
#endif

/* Version of this header, and of the library that is loaded (moec_version). A
 * library serves callers of its own major version and of all older minors. */
#define MOEC_VERSION_MAJOR 0
#define MOEC_VERSION_MINOR 1
#define MOEC_VERSION (MOEC_VERSION_MAJOR * 1000 + MOEC_VERSION_MINOR)

MOEC_API int moec_version(void);

/* ---- Errors ------------------------------------------------------------- */

/* Kinds of errors; 1 to 4 and 70 are also the exit codes of the tools. */
typedef enum moec_error_code {
  MOEC_OK = 0,
  MOEC_ERROR_CONTENT = 1,      /* input is malformed, damaged, fails a check */
  MOEC_ERROR_USAGE = 2,        /* bad argument or unknown name */
  MOEC_ERROR_FILE = 3,         /* a file cannot be opened, read or written */
  MOEC_ERROR_UNSUPPORTED = 4,  /* legal, but not supported (on this target) */
  MOEC_ERROR_NOT_PREPARED = 5, /* forward needs something that is not ready */
  MOEC_ERROR_DEVICE = 6,       /* the device or its driver reports an error */
  MOEC_ERROR_WORKER = 7,       /* the compiler process died, is late, missing */
  MOEC_ERROR_INTERNAL = 70     /* a defect of this library */
} moec_error_code;

typedef struct moec_error moec_error;

/* The code, MOEC_OK for NULL. */
MOEC_API moec_error_code moec_error_get_code(const moec_error *error);
/* What, where, expected and found, and what to do next; UTF-8, lives as long as
 * the error; "" for NULL. */
MOEC_API const char *moec_error_get_message(const moec_error *error);
MOEC_API void moec_error_destroy(moec_error *error);

/* ---- Problems ----------------------------------------------------------- */

/* Bits of moec_problem::given: which of these fields hold a value. */
#define MOEC_GIVEN_ALPHA 1u
#define MOEC_GIVEN_BETA 2u
#define MOEC_GIVEN_LIMIT 4u

/* One MoE layer as one rank computes it. */
typedef struct moec_problem {
  size_t struct_size;
  int64_t hidden;        /* columns of x and of the output; multiple of 32 */
  int64_t inter;         /* intermediate size on this rank; multiple of 32 */
  int64_t experts;       /* experts on this rank, 1 to 1024 */
  int64_t topk;          /* experts a token, 1 to 64 */
  int64_t group;         /* k that share a scale; 0 for formats without */
  const char *weights;   /* format: "int4" */
  const char *scale;     /* type of the scales; NULL: "bf16" */
  const char *act_dtype; /* type of x and the output; NULL: "bf16" */
  const char *act_fn;    /* activation; NULL: "silu" */
  double alpha, beta, limit; /* of the activation, where `given` says so */
  uint32_t given;        /* MOEC_GIVEN_... */
  int32_t bias;          /* nonzero: the expert GEMMs add a bias */
} moec_problem;

/* One reason against a problem: a code (MOEC_ERROR_USAGE: no such problem can
 * exist; MOEC_ERROR_UNSUPPORTED: not computed by this release), a stable id such
 * as "hidden-multiple", and a sentence. Strings live during the call only. */
typedef void (*moec_reason_fn)(void *user, moec_error_code code, const char *id,
                               const char *message);

/* Whether this library computes `problem`: *supported becomes 1 or 0, and
 * `reason` (may be NULL) is called for every reason against it. Needs no device
 * and no context. An error only for a bad argument. */
MOEC_API moec_error *moec_supports(const moec_problem *problem, int *supported,
                                   moec_reason_fn reason, void *user);

/* ---- Contexts ----------------------------------------------------------- */

typedef struct moec_context moec_context;

/* Receives what may interest whoever reads logs (a damaged cache entry, a cache
 * that cannot be written). Called from the thread that called us. */
typedef void (*moec_log_fn)(void *user, const char *message);

typedef struct moec_context_options {
  size_t struct_size;
  const char *hip_library; /* NULL: MOEC_HIP_LIBRARY, else a HIP library that the
                              process has loaded, else libamdhip64.so.7/.6/.5.
                              One that is named is never replaced. */
  int32_t device;          /* ordinal of the device in that library */
  int32_t never_compile;   /* nonzero: what no bundle or cache has is an error */
  const char *worker;      /* NULL: MOEC_WORKER, else `moec` beside libmoec */
  int64_t worker_timeout_ms; /* for one compilation; 0: 60000 */
  const char *cache_directory; /* NULL: MOEC_CACHE_DIR, else the user's cache
                                  directory; "": no cache. Must be writable by
                                  its owner only: its content runs on the GPU. */
  moec_log_fn log;         /* NULL: silence */
  void *log_user;
} moec_context_options;

/* Opens a device. May block while HIP starts. `options` may be NULL. */
MOEC_API moec_error *moec_context_create(const moec_context_options *options,
                                         moec_context **context);

/* Unloads its code objects: no layer of it and no captured graph that replays
 * its kernels may be left, and no launch may be pending. */
MOEC_API void moec_context_destroy(moec_context *context);

/* Architecture of the device ("gfx942") and file of the HIP library; live as
 * long as the context. */
MOEC_API const char *moec_context_target(const moec_context *context);
MOEC_API const char *moec_context_hip_library(const moec_context *context);

/* Adds the kernels of a bundle, which `moec compile` makes: a file, or bytes
 * that are copied. Bundles contain code for the GPU: trust where they come from.
 * Errors: CONTENT truncated, altered or of another format version; UNSUPPORTED
 * of another target; FILE. Layers that exist see the new plans in their next
 * prepare. */
MOEC_API moec_error *moec_context_add_bundle_file(moec_context *context,
                                                  const char *path);
MOEC_API moec_error *moec_context_add_bundle(moec_context *context,
                                             const void *bytes, size_t size);

/* ---- Layers ------------------------------------------------------------- */

typedef struct moec_layer moec_layer;

typedef struct moec_layer_options {
  size_t struct_size;
  const char *plan;       /* name of the plan in the bundles; NULL: the only one
                             that they have for this problem, else the layer that
                             the compiler selects for it */
  const char *standalone; /* a single stage as its own plan, by the stage's name;
                             NULL: a whole layer */
  int64_t first_bucket;   /* a number of tokens that will be prepared: it is what
                             gets compiled when the tensors are asked for and no
                             bundle or cache has a plan; 0: 16 */
} moec_layer_options;

/* Creates a layer. Checks the problem, touches no device, compiles nothing.
 * `options` may be NULL. */
MOEC_API moec_error *moec_layer_create(moec_context *context,
                                       const moec_problem *problem,
                                       const moec_layer_options *options,
                                       moec_layer **layer);
/* Frees the workspaces that prepare made: no launch may be pending, and no
 * captured graph that uses them may be replayed any more. */
MOEC_API void moec_layer_destroy(moec_layer *layer);

/* Where memory is. */
typedef enum moec_memory {
  MOEC_MEMORY_HOST = 0,
  MOEC_MEMORY_DEVICE = 1
} moec_memory;

/* A tensor that a layer takes, as moec_layer_tensor reports it. The strings live
 * as long as the layer. */
typedef struct moec_tensor_info {
  size_t struct_size;
  const char *name;       /* "x", "topk_ids", "w13", ... */
  const char *role;       /* "input", "output" or "weights" */
  const char *dtype;      /* "bf16", "f32", "i32"; weights: format */
  const char *layout;     /* weights: what the kernels read, "i4r3.v1"; else "" */
  const char *scale_type; /* weights: "bf16"; else "" */
  int64_t shape[4];       /* inputs, outputs: elements a token; weights: experts,
                             channels, contraction */
  int32_t rank;           /* number of extents in `shape` */
  int32_t reserved;
  int64_t group;          /* weights: k per scale */
  uint64_t values_bytes;  /* weights: all experts */
  uint64_t scales_bytes;
} moec_tensor_info;

/* Number of tensors, and one of them. Reads a plan: the first call (or the first
 * bind) compiles one, for first_bucket, if no bundle or cache has any, and then
 * blocks. `info`
 * comes with its struct_size set. */
MOEC_API moec_error *moec_layer_tensor_count(moec_layer *layer, size_t *count);
MOEC_API moec_error *moec_layer_tensor(moec_layer *layer, size_t index,
                                       moec_tensor_info *info);

/* Weights of a stage: two buffers over all experts, [experts, ...] each, dense,
 * aligned to 16 bytes. w13 has the gate rows [0, inter), then the up rows. */
typedef struct moec_weights {
  size_t struct_size;
  const char *tensor; /* "w13", "w2" */
  const char *layout; /* of the bytes as they are: "ct_pack" (values i32
                         [experts, n, k/8], nibble i of a word is k = 8*word + i,
                         stored + 8; scales [experts, n, ceil(k/group)]), or what
                         the kernels read, which needs no packing */
  void *values;
  uint64_t values_bytes;
  void *scales;
  uint64_t scales_bytes;
  const char *scale_type; /* NULL: "bf16"; never converted */
  moec_memory memory;     /* of both buffers */
  int32_t reserved;
} moec_weights;

/* Says where the weights are and what they look like. Checks sizes, types,
 * alignment and layout; writes nothing. Binding again replaces the buffers, and
 * the layer has to be prepared again. Kernels read device memory: host memory is
 * for packing before a copy, or for devices that can read it. */
MOEC_API moec_error *moec_layer_bind_weights(moec_layer *layer,
                                             const moec_weights *weights);

/* Rewrites experts [first, first + count) of a bound tensor in place from their
 * layout to the one that the kernels read: values and scales, the same number of
 * bytes, scratch of one expert at most. Experts that are packed already are
 * skipped, so that a call may be repeated or go on after an error. Waits for the
 * device: the source bytes must have arrived. */
MOEC_API moec_error *moec_layer_pack_weights(moec_layer *layer,
                                             const char *tensor, int64_t first,
                                             int64_t count);

/* For checking: writes one packed expert in `layout` to host memory of exactly
 * the bytes of an expert. unpack(pack(w)) == w, bit for bit. */
MOEC_API moec_error *
moec_layer_unpack_weights(const moec_layer *layer, const char *tensor,
                          const char *layout, int64_t expert, void *values,
                          size_t values_bytes, void *scales, size_t scales_bytes);

/* Buckets done and asked for. */
typedef void (*moec_progress_fn)(void *user, int64_t done, int64_t total);

typedef struct moec_prepare_options {
  size_t struct_size;
  const int64_t *buckets; /* numbers of tokens; a forward of M tokens uses the
                             smallest prepared bucket that is >= M */
  size_t bucket_count;    /* 0: all buckets that the bundles have */
  int32_t own_workspace;  /* nonzero: allocate a workspace for all buckets, for
                             one stream at a time. A later prepare that needs more
                             adds a larger one; those before it, which captured
                             graphs may use, are freed with the layer */
  int32_t reserved;
  moec_progress_fn progress; /* NULL, or called on this thread */
  void *progress_user;
} moec_prepare_options;

/* Gets everything ready that forward needs: finds or compiles the kernels of
 * every bucket, loads them, and decides every argument. All weights must be
 * bound. Idempotent: what is ready stays. After an error the buckets that were
 * finished are ready. Blocks; may compile, load and allocate; not in a capture.
 * Errors: WORKER if the compiler process dies, is late or is missing (the next
 * call starts a new one); NOT_PREPARED if compiling is off; UNSUPPORTED. */
MOEC_API moec_error *moec_layer_prepare(moec_layer *layer,
                                        const moec_prepare_options *options);

/* The prepared buckets, ascending: writes up to `capacity` of them and their
 * number to *count. `buckets` may be NULL if capacity is 0. */
MOEC_API moec_error *moec_layer_prepared_buckets(const moec_layer *layer,
                                                 int64_t *buckets,
                                                 size_t capacity, size_t *count);

/* Bytes of workspace that a forward of `tokens` needs; tokens < 0: for any
 * prepared bucket. */
MOEC_API moec_error *moec_layer_workspace_bytes(const moec_layer *layer,
                                                int64_t tokens,
                                                uint64_t *bytes);

/* A tensor by name, for plans with other tensors than x, ids, weights and out. */
typedef struct moec_tensor {
  const char *name;
  void *data;
} moec_tensor;

/* All pointers are of the device. Tensors whose rows are multiples of 16 bytes
 * must be aligned to 16 bytes, the others to their elements. */
typedef struct moec_forward_args {
  size_t struct_size;
  int64_t tokens;            /* M, 0 to the largest prepared bucket */
  const void *x;             /* "x": bf16 [M, hidden] */
  const void *topk_ids;      /* "topk_ids": i32 [M, topk]; ids outside of
                                [0, experts) are dropped; a token without any
                                valid id gives a row of zeros */
  const void *topk_weights;  /* "topk_weights": f32 [M, topk], applied once */
  void *out;                 /* "out": bf16 [M, hidden], overwritten; must not
                                overlap x */
  const moec_tensor *tensors; /* more tensors, or NULL; first wins by name */
  size_t tensor_count;
  void *workspace;           /* aligned to 256 bytes, any content; NULL: the one
                                that prepare made */
  uint64_t workspace_bytes;
  void *stream;              /* hipStream_t; NULL: the default stream */
} moec_forward_args;

/* Enqueues the layer on the stream and returns. Never compiles, loads, allocates,
 * synchronises or reads from the device; may be captured. tokens = 0 succeeds and
 * does nothing. What is missing is an error before anything is enqueued:
 * NOT_PREPARED names the weights, stage and bucket and the call that prepares
 * them; USAGE a null or misaligned tensor or a workspace that is too small. The
 * stream must be of the context's device. Concurrent forwards need workspaces of
 * their own. */
MOEC_API moec_error *moec_layer_forward(const moec_layer *layer,
                                        const moec_forward_args *args);

#ifdef __cplusplus
}
#endif
#endif /* MOEC_H */
