/* A layer's life on the recording HIP library: weights, prepare, forward. */
#include "check.h"

#include <dlfcn.h>

/* ---- Counting allocations of the whole process (R20) ---- */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* gcc */
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
static long allocations;
#ifndef SANITIZED
/* Visible, so that the libraries' calls come here too. */
#define VISIBLE __attribute__((visibility("default")))
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
VISIBLE void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
VISIBLE void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
VISIBLE void *realloc(void *old, size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
VISIBLE void *aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
#endif

/* ---- The recording library ---- */
typedef struct fake_launch {
  const char *kernel;
  unsigned grid[3], block[3];
  void *stream;
  size_t size;
  unsigned char args[512];
} fake_launch;
static fake_launch *(*launches)(int *);
static void (*clearLaunches)(void);
static int (*loads)(void), (*unloads)(void), (*liveAllocations)(void),
    (*setDeviceCalls)(void), (*copies)(void);
static void (*failCall)(const char *, int);
static int (*hipGetDevice)(int *), (*hipSetDevice)(int);

static void openFake(void) {
  void *fake = dlopen(getenv("MOEC_HIP_LIBRARY"), RTLD_NOW);
  CHECK(fake);
#define FIND(variable, name)                                                   \
  CHECK((*(void **)&(variable) = dlsym(fake, name)) != NULL)
  FIND(launches, "fakehip_launches");
  FIND(clearLaunches, "fakehip_clear");
  FIND(loads, "fakehip_loads");
  FIND(unloads, "fakehip_unloads");
  FIND(liveAllocations, "fakehip_allocations");
  FIND(copies, "fakehip_copies");
  FIND(setDeviceCalls, "fakehip_set_device_calls");
  FIND(failCall, "fakehip_fail");
  FIND(hipGetDevice, "hipGetDevice");
  FIND(hipSetDevice, "hipSetDevice");
}

/* ---- Weights of the sample problem: w13 [3, 192, 160], w2 [3, 160, 96] ---- */
enum {
  w13Bytes = 3 * 192 * 160 / 2,
  w13ScaleBytes = 3 * 192 * 5 * 2,
  w2Bytes = 3 * 160 * 96 / 2,
  w2ScaleBytes = 3 * 160 * 3 * 2
};
static _Alignas(256) unsigned char w13[w13Bytes], w13Scale[w13ScaleBytes],
    w2[w2Bytes], w2Scale[w2ScaleBytes], original[w13Bytes],
    originalScale[w13ScaleBytes];

static void fill(unsigned char *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    bytes[i] = (unsigned char)(seed >> 24);
  }
}

static moec_weights weightsOf(const char *tensor, moec_memory memory) {
  int first = !strcmp(tensor, "w13");
  moec_weights weights = {.struct_size = sizeof weights,
                          .tensor = tensor,
                          .layout = "ct_pack",
                          .values = first ? w13 : w2,
                          .values_bytes = first ? w13Bytes : w2Bytes,
                          .scales = first ? w13Scale : w2Scale,
                          .scales_bytes = first ? w13ScaleBytes : w2ScaleBytes,
                          .memory = memory};
  return weights;
}

static moec_layer *makeLayer(moec_context *context) {
  moec_problem problem = sampleProblem();
  moec_layer *layer;
  OK(moec_layer_create(context, &problem, NULL, &layer));
  return layer;
}

static moec_layer *makeReady(moec_context *context) {
  moec_layer *layer = makeLayer(context);
  for (int i = 0; i < 2; ++i) {
    moec_weights weights = weightsOf(i ? "w2" : "w13", MOEC_MEMORY_HOST);
    OK(moec_layer_bind_weights(layer, &weights));
    OK(moec_layer_pack_weights(layer, weights.tensor, 0, 3));
  }
  return layer;
}

static void tensors(moec_layer *layer) {
  size_t count;
  OK(moec_layer_tensor_count(layer, &count));
  CHECK(count == 6);
  moec_tensor_info info = {.struct_size = sizeof info};
  OK(moec_layer_tensor(layer, 4, &info));
  CHECK(!strcmp(info.name, "w13") && !strcmp(info.role, "weights"));
  CHECK(!strcmp(info.layout, "i4r3.v1") && info.rank == 3);
  CHECK(info.shape[0] == 3 && info.shape[1] == 192 && info.shape[2] == 160);
  CHECK(info.values_bytes == w13Bytes && info.scales_bytes == w13ScaleBytes);
  FAILS(moec_layer_tensor(layer, 6, &info), MOEC_ERROR_USAGE, "tensor 6 of 6");
}

static void badWeights(moec_layer *layer) {
  moec_weights good = weightsOf("w13", MOEC_MEMORY_HOST), bad = good;
  bad.tensor = "w3";
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_USAGE,
        "layer 'sample' has no weights 'w3'; it has w13, w2");
  bad = good;
  bad.values_bytes -= 4;
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_USAGE,
        "weights 'w13': the values take 46080 bytes (3 experts, n 192, k 160, group "
        "32), found 46076");
  bad = good;
  bad.scales = NULL;
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_USAGE,
        "the scales are a null pointer");
  bad = good;
  bad.values = w13 + 4;
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_USAGE,
        "are not aligned to 16 bytes");
  bad = good;
  bad.scale_type = "f16";
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_UNSUPPORTED,
        "the kernels read scales of bf16, found f16");
  bad = good;
  bad.layout = "awq";
  FAILS(moec_layer_bind_weights(layer, &bad), MOEC_ERROR_USAGE,
        "unknown layout 'awq'; known are ct_pack, i4r3.v1");
  FAILS(moec_layer_pack_weights(layer, "w13", 0, 1), MOEC_ERROR_USAGE,
        "weights 'w13' are not bound; call moec_layer_bind_weights first");
  moec_prepare_options prepare = {.struct_size = sizeof prepare};
  FAILS(moec_layer_prepare(layer, &prepare), MOEC_ERROR_USAGE,
        "weights 'w13' of layer 'sample' are not bound");
}

/* R23: in ranges, repeated, in device memory, interrupted. */
static void packing(moec_context *context, moec_memory memory) {
  moec_layer *layer = makeLayer(context);
  fill(w13, w13Bytes, 1);
  fill(w13Scale, w13ScaleBytes, 2);
  memcpy(original, w13, w13Bytes);
  memcpy(originalScale, w13Scale, w13ScaleBytes);
  moec_weights weights = weightsOf("w13", memory);
  OK(moec_layer_bind_weights(layer, &weights));
  FAILS(moec_layer_pack_weights(layer, "w13", 2, 2), MOEC_ERROR_USAGE,
        "weights 'w13': experts 2 to 4 are outside of [0, 3)");
  CHECK(!memcmp(w13, original, w13Bytes)); /* Nothing was written. */
  OK(moec_layer_pack_weights(layer, "w13", 1, 1));
  CHECK(!memcmp(w13, original, w13Bytes / 3));
  CHECK(memcmp(w13 + w13Bytes / 3, original + w13Bytes / 3, w13Bytes / 3));
  if (memory == MOEC_MEMORY_DEVICE) {
    /* Expert 0: values out and back succeed, scales out fails. */
    failCall("hipMemcpy", 2);
    FAILS(moec_layer_pack_weights(layer, "w13", 0, 3), MOEC_ERROR_DEVICE,
          "weights 'w13', expert 0: hipMemcpy failed: hipErrorUnknown (999): "
          "injected failure");
  }
  OK(moec_layer_pack_weights(layer, "w13", 0, 3)); /* Goes on. */
  int before = copies();
  OK(moec_layer_pack_weights(layer, "w13", 0, 3)); /* Does nothing. */
  CHECK(copies() == before);
  static unsigned char values[w13Bytes / 3], scales[w13ScaleBytes / 3];
  for (int expert = 0; expert < 3; ++expert) {
    OK(moec_layer_unpack_weights(layer, "w13", "ct_pack", expert, values,
                                 sizeof values, scales, sizeof scales));
    CHECK(!memcmp(values, original + expert * (int)sizeof values, sizeof values));
    CHECK(!memcmp(scales, originalScale + expert * (int)sizeof scales,
                  sizeof scales));
  }
  if (memory == MOEC_MEMORY_DEVICE) {
    OK(moec_layer_bind_weights(layer, &weights));
    failCall("hipMemcpy", 1); /* The write back of expert 0. */
    FAILS(moec_layer_pack_weights(layer, "w13", 0, 1), MOEC_ERROR_DEVICE,
          "injected failure");
    FAILS(moec_layer_pack_weights(layer, "w13", 0, 1), MOEC_ERROR_DEVICE,
          "an error interrupted the write of this expert");
  }
  moec_layer_destroy(layer);
}

static char progressText[256];
static void progress(void *user, int64_t done, int64_t total) {
  (void)user;
  size_t used = strlen(progressText);
  snprintf(progressText + used, sizeof progressText - used, "%d/%d ", (int)done,
           (int)total);
}

static uint64_t at64(const fake_launch *launch, int offset) {
  uint64_t value;
  memcpy(&value, launch->args + offset, sizeof value);
  return value;
}
static int32_t at32(const fake_launch *launch, int offset) {
  int32_t value;
  memcpy(&value, launch->args + offset, sizeof value);
  return value;
}

static _Alignas(256) unsigned char x[64 * 320], out[64 * 320], space[65536];
static _Alignas(16) int32_t ids[128];
static _Alignas(16) float routing[128];

static moec_forward_args argsFor(int64_t tokens) {
  moec_forward_args args = {.struct_size = sizeof args,
                            .tokens = tokens,
                            .x = x,
                            .topk_ids = ids,
                            .topk_weights = routing,
                            .out = out,
                            .workspace = space,
                            .workspace_bytes = sizeof space,
                            .stream = (void *)0x5000};
  return args;
}

static void notPrepared(moec_layer *layer, int64_t tokens) {
  moec_forward_args args = argsFor(tokens);
  clearLaunches();
  char text[128];
  snprintf(text, sizeof text,
           "layer 'sample' is not prepared for %d tokens: weights 'w13' at 0x",
           (int)tokens);
  moec_error *error = moec_layer_forward(layer, &args);
  snprintf(text, sizeof text, "for stage 'gate_up'");
  CHECK(strstr(moec_error_get_message(error), text));
  CHECK(strstr(moec_error_get_message(error), "call moec_layer_prepare"));
  snprintf(text, sizeof text, "bucket %d;", (int)tokens);
  FAILS(error, MOEC_ERROR_NOT_PREPARED, text);
  int count;
  launches(&count);
  CHECK(count == 0);
}

static void preparing(moec_layer *layer) {
  notPrepared(layer, 1);
  int64_t buckets[] = {16, 1};
  moec_prepare_options prepare = {.struct_size = sizeof prepare,
                                  .buckets = buckets,
                                  .bucket_count = 2,
                                  .progress = progress};
  int before = loads();
  OK(moec_layer_prepare(layer, &prepare));
  CHECK(!strcmp(progressText, "0/2 1/2 2/2 "));
  CHECK(loads() - before <= 2); /* Two code objects, for all buckets. */
  before = loads();
  progressText[0] = 0;
  OK(moec_layer_prepare(layer, &prepare)); /* R21: idempotent. */
  CHECK(loads() == before && !strcmp(progressText, "2/2 "));
  int64_t ready[4];
  size_t count;
  OK(moec_layer_prepared_buckets(layer, ready, 4, &count));
  CHECK(count == 2 && ready[0] == 1 && ready[1] == 16);
  notPrepared(layer, 17);
  prepare.bucket_count = 0; /* All that the bundle has. */
  OK(moec_layer_prepare(layer, &prepare));
  OK(moec_layer_prepared_buckets(layer, NULL, 0, &count));
  CHECK(count == 3);
  buckets[0] = 0;
  prepare.bucket_count = 1;
  FAILS(moec_layer_prepare(layer, &prepare), MOEC_ERROR_USAGE,
        "bucket 0 is not a number of tokens from 1 to 2147483647");
  uint64_t bytes;
  OK(moec_layer_workspace_bytes(layer, 2, &bytes));
  CHECK(bytes == 16 * 1024);
  OK(moec_layer_workspace_bytes(layer, -1, &bytes));
  CHECK(bytes == 64 * 1024);
}

static void launching(moec_layer *layer) {
  moec_forward_args args = argsFor(5);
  clearLaunches();
  OK(moec_layer_forward(layer, &args));
  int count;
  fake_launch *l = launches(&count);
  CHECK(count == 3);
  CHECK(!strcmp(l[0].kernel, "gate_up") && !strcmp(l[1].kernel, "down") &&
        !strcmp(l[2].kernel, "combine"));
  CHECK(l[0].grid[0] == 3 && l[0].grid[1] == 16 && l[0].block[0] == 256);
  CHECK(l[0].stream == (void *)0x5000 && l[0].size == 64);
  CHECK(at64(&l[0], 0) == (uintptr_t)x && at64(&l[0], 8) == (uintptr_t)w13 &&
        at64(&l[0], 16) == (uintptr_t)w13Scale &&
        at64(&l[0], 24) == (uintptr_t)space);
  CHECK(at32(&l[0], 32) == 5 && at32(&l[0], 36) == 192 && at64(&l[0], 40) == 0);
  CHECK(at64(&l[1], 24) == (uintptr_t)space + 512 && at32(&l[1], 36) == -1);
  CHECK(at64(&l[2], 24) == (uintptr_t)out);

  /* 40 tokens: bucket 64 in passes of 16, 16 and 8. */
  args = argsFor(40);
  clearLaunches();
  OK(moec_layer_forward(layer, &args));
  l = launches(&count);
  CHECK(count == 9);
  int expected[] = {16, 16, 8};
  for (int pass = 0; pass < 3; ++pass) {
    CHECK(at32(&l[3 * pass], 32) == expected[pass]);
    CHECK(at64(&l[3 * pass], 0) == (uintptr_t)x + (unsigned)pass * 16 * 320);
    CHECK(at64(&l[3 * pass], 24) == (uintptr_t)space);
    CHECK(at64(&l[3 * pass + 2], 8) == (uintptr_t)ids + (unsigned)pass * 16 * 8);
  }

  /* R06 */
  args = argsFor(0);
  args.x = args.out = NULL;
  clearLaunches();
  OK(moec_layer_forward(layer, &args));
  launches(&count);
  CHECK(count == 0);
}

static void badForwards(moec_layer *layer) {
  clearLaunches();
  moec_forward_args args = argsFor(4);
  args.x = NULL;
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE,
        "the input 'x' (bf16, [tokens, 160]) is missing or null");
  args = argsFor(4);
  args.out = out + 2;
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE,
        "is not aligned to 16 bytes");
  args = argsFor(4);
  args.workspace_bytes = 1000;
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE,
        "bucket 16 needs 16384 bytes of workspace, found 1000");
  args = argsFor(4);
  args.workspace = NULL;
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE, "found 0");
  args = argsFor(4);
  args.workspace = space + 16;
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE,
        "is not aligned to 256 bytes");
  args = argsFor(-1);
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_USAGE, "tokens is -1");
  int count;
  launches(&count);
  CHECK(count == 0);
  failCall("hipModuleLaunchKernel", 1);
  args = argsFor(4);
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_DEVICE,
        "layer 'sample', stage 'down', bucket 16, 4 tokens: hipModuleLaunchKernel "
        "failed: hipErrorUnknown (999): injected failure");
  OK(moec_layer_forward(layer, &args)); /* The next call works. */
}

/* R20 */
static void noAllocation(moec_layer *layer) {
  int64_t sizes[] = {1, 5, 16, 40, 64, 0};
  for (int i = 0; i < 6; ++i) {
    moec_forward_args args = argsFor(sizes[i]);
    clearLaunches();
    int loaded = loads(), copied = copies();
    long before = allocations;
    moec_error *error = moec_layer_forward(layer, &args);
    CHECK(allocations == before);
    CHECK(error == NULL && loads() == loaded && copies() == copied);
  }
}

/* R27: device 1, while the caller's is 0. */
static void otherDevice(void) {
  moec_context_options options = {.struct_size = sizeof options, .device = 1};
  moec_context *context;
  OK(moec_context_create(&options, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("sample.moec")));
  moec_layer *layer = makeReady(context);
  moec_prepare_options prepare = {.struct_size = sizeof prepare,
                                  .own_workspace = 1};
  OK(moec_layer_prepare(layer, &prepare));
  CHECK(liveAllocations() == 1);
  moec_forward_args args = argsFor(3);
  args.workspace = NULL;
  args.workspace_bytes = 0;
  int calls = setDeviceCalls(), device = -1;
  OK(moec_layer_forward(layer, &args));
  CHECK(setDeviceCalls() == calls + 2);
  hipGetDevice(&device);
  CHECK(device == 0);
  moec_layer_destroy(layer);
  CHECK(liveAllocations() == 0);
  int before = unloads();
  moec_context_destroy(context);
  CHECK(unloads() == before + 2);
}

/* R28 in spirit: a captured graph may use the workspace of an earlier prepare. */
static void growingWorkspace(void) {
  moec_context *context;
  OK(moec_context_create(NULL, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("sample.moec")));
  moec_layer *layer = makeReady(context);
  int64_t buckets[] = {1, 64, 16};
  uint64_t used[3];
  for (int i = 0; i < 3; ++i) {
    moec_prepare_options prepare = {.struct_size = sizeof prepare,
                                    .buckets = &buckets[i],
                                    .bucket_count = 1,
                                    .own_workspace = 1};
    OK(moec_layer_prepare(layer, &prepare));
    CHECK(liveAllocations() == (i ? 2 : 1)); /* Grows once, for 64. */
    moec_forward_args args = argsFor(1);
    args.workspace = NULL;
    args.workspace_bytes = 0;
    clearLaunches();
    OK(moec_layer_forward(layer, &args));
    int count;
    used[i] = at64(&launches(&count)[0], 24);
  }
  CHECK(used[0] != used[1] && used[1] == used[2]);
  moec_layer_destroy(layer);
  CHECK(liveAllocations() == 0);
  moec_context_destroy(context);
}

/* A type whose size, and so whose alignment, this library would have to guess. */
static void unknownElements(void) {
  moec_context *context;
  OK(moec_context_create(NULL, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("element.moec")));
  moec_layer *layer = makeLayer(context);
  size_t count;
  for (int i = 0; i < 2; ++i) /* Refused again, not half known. */
    FAILS(moec_layer_tensor_count(layer, &count), MOEC_ERROR_UNSUPPORTED,
          "the output 'out' of the plan 'sample' has elements of 'f5', this "
          "library knows bf16, f16, f32, i32, i64, f64; use a newer libmoec");
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

/* R13: buckets whose kernels read different layouts. */
static void mixedLayouts(void) {
  moec_context *context;
  OK(moec_context_create(NULL, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("only16.moec")));
  OK(moec_context_add_bundle_file(context, bundlePath("layout64.moec")));
  moec_layer *layer = makeReady(context);
  moec_prepare_options prepare = {.struct_size = sizeof prepare};
  FAILS(moec_layer_prepare(layer, &prepare), MOEC_ERROR_CONTENT,
        "layer 'sample': plan 'sample', bucket 64: its weights 'w13' have the "
        "layout 'i4r3.v2', the layer's have 'i4r3.v1'; compile its buckets "
        "together");
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

/* Every HIP call of a preparation fails once: an error, and the next one works. */
static void faults(void) {
  const char *calls[] = {"hipModuleLoadData", "hipModuleGetFunction",
                         "hipGetDevice", "hipMalloc"};
  for (int i = 0; i < 4; ++i) {
    moec_context *context;
    OK(moec_context_create(NULL, &context));
    OK(moec_context_add_bundle_file(context, bundlePath("sample.moec")));
    moec_layer *layer = makeReady(context);
    moec_prepare_options prepare = {.struct_size = sizeof prepare,
                                    .own_workspace = 1};
    failCall(calls[i], 0);
    FAILS(moec_layer_prepare(layer, &prepare), MOEC_ERROR_DEVICE, calls[i]);
    OK(moec_layer_prepare(layer, &prepare));
    moec_forward_args args = argsFor(3);
    args.workspace = NULL;
    args.workspace_bytes = 0;
    clearLaunches();
    OK(moec_layer_forward(layer, &args));
    moec_layer_destroy(layer);
    moec_context_destroy(context);
    CHECK(liveAllocations() == 0);
  }
}

/* R22: new buffers are a new thing. */
static void rebinding(moec_layer *layer) {
  moec_weights weights = weightsOf("w13", MOEC_MEMORY_HOST);
  OK(moec_layer_bind_weights(layer, &weights));
  notPrepared(layer, 4);
  moec_prepare_options prepare = {.struct_size = sizeof prepare};
  OK(moec_layer_prepare(layer, &prepare));
  moec_forward_args args = argsFor(4);
  FAILS(moec_layer_forward(layer, &args), MOEC_ERROR_NOT_PREPARED,
        "3 experts of the weights 'w13' are not packed to the layout 'i4r3.v1'; "
        "call moec_layer_pack_weights first");
}

int main(void) {
  openFake();
  moec_context *context;
  OK(moec_context_create(NULL, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("sample.moec")));
#ifndef SANITIZED
  CHECK(allocations > 0); /* The counter sees what libmoec allocates. */
#endif
  moec_layer *layer = makeLayer(context);
  tensors(layer);
  badWeights(layer);
  moec_layer_destroy(layer);
  packing(context, MOEC_MEMORY_HOST);
  packing(context, MOEC_MEMORY_DEVICE);

  layer = makeReady(context);
  preparing(layer);
  launching(layer);
  badForwards(layer);
  noAllocation(layer);
  rebinding(layer);
  moec_layer_destroy(layer);
  moec_context_destroy(context);
  otherDevice();
  growingWorkspace();
  unknownElements();
  mixedLayouts();
  faults();
  return 0;
}
