/* A MoE layer through the C API, as an engine would run it: includes only moec.h,
 * links only libmoec, and takes device memory from the HIP library that libmoec
 * uses.
 *
 *   layer_from_c worker             kernels come from the compiler worker
 *   layer_from_c bundle CASE FILE   kernels come from a bundle, none is compiled
 *   layer_from_c kill               the worker is killed while it compiles
 */
#include "host_layer.h"

#include <moec/moec.h>

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition, ...)                                                  \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: " #condition ": ", __FILE__, __LINE__);          \
      fprintf(stderr, __VA_ARGS__);                                            \
      fprintf(stderr, "\n");                                                   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void ok(moec_error *error, int line) {
  CHECK(!error, "line %d: error %d: %s", line, (int)moec_error_get_code(error),
        moec_error_get_message(error));
}
#define OK(call) ok((call), __LINE__)

/* Tails everywhere: K = 160 and 96 with group 32; K = 192 and 160 with group 128,
 * whose last groups are short. The same as case0.json and case1.json. */
static const host_problem cases[] = {{160, 96, 5, 2, 32}, {192, 160, 4, 3, 128}};
enum { caseCount = 2, bucketCount = 3, seedStart = 20 };
static const int64_t buckets[bucketCount] = {1, 16, 48};
static const int64_t tokenCounts[] = {1, 3, 16, 40, 0};

/* ---- Device memory, from the library that MOEC_HIP_LIBRARY names ---- */
static int (*hipMalloc)(void **, size_t);
static int (*hipFree)(void *);
static int (*hipMemcpy)(void *, const void *, size_t, int);
static int (*hipDeviceSynchronize)(void);

static void openHip(void) {
  void *library = dlopen(getenv("MOEC_HIP_LIBRARY"), RTLD_NOW);
  CHECK(library, "%s", dlerror());
  *(void **)&hipMalloc = dlsym(library, "hipMalloc");
  *(void **)&hipFree = dlsym(library, "hipFree");
  *(void **)&hipMemcpy = dlsym(library, "hipMemcpy");
  *(void **)&hipDeviceSynchronize = dlsym(library, "hipDeviceSynchronize");
  CHECK(hipMalloc && hipFree && hipMemcpy && hipDeviceSynchronize, "symbols");
}

/* Device memory with `bytes` of `from`, or poison: all ones are NaN in f32 and
 * bf16 and an invalid id. */
static void *toDevice(const void *from, size_t bytes) {
  void *device = NULL;
  CHECK(hipMalloc(&device, bytes ? bytes : 16) == 0, "%zu bytes", bytes);
  if (!bytes)
    return device;
  void *poison = from ? NULL : malloc(bytes);
  if (poison)
    memset(poison, 0xff, bytes);
  CHECK(hipMemcpy(device, from ? from : poison, bytes, 1) == 0, "to device");
  free(poison);
  return device;
}

/* ---- Operands of one forward ---- */
typedef struct routing {
  int32_t *ids;
  float *weights;
} routing;

/* Random experts; token 1 has none, token 2 mixes an id that is out of range with
 * a valid one twice; with `crowded` everything goes to the last expert. */
static routing makeRouting(const host_problem *p, int64_t tokens, int crowded,
                           uint64_t *seed) {
  size_t pairs = (size_t)(tokens * p->topk);
  routing r = {malloc((pairs + 1) * 4), malloc((pairs + 1) * 4)};
  CHECK(r.ids && r.weights, "memory");
  for (size_t i = 0; i < pairs; ++i) {
    r.ids[i] = crowded ? (int32_t)p->experts - 1
                       : (int32_t)(host_random(seed) * (double)p->experts);
    r.weights[i] = (float)(0.1 + host_random(seed));
  }
  for (int64_t k = 0; k < p->topk && tokens > 1; ++k)
    r.ids[p->topk + k] = -1;
  if (tokens > 2 && !crowded)
    r.ids[2 * p->topk] = (int32_t)p->experts;
  return r;
}

static void compare(const host_problem *p, int64_t tokens, const uint16_t *out,
                    const double *expected) {
  double allError = 0, allNorm = 0;
  for (int64_t row = 0; row < tokens; ++row) {
    double error = 0, norm = 0;
    for (int64_t n = 0; n < p->hidden; ++n) {
      double want = expected[row * p->hidden + n];
      double got = host_from_bf16(out[row * p->hidden + n]);
      error += (got - want) * (got - want);
      norm += want * want;
    }
    if (norm == 0)
      CHECK(error == 0, "row %d must be zero", (int)row);
    else
      CHECK(sqrt(error / norm) <= 5e-3, "row %d: relative L2 %g", (int)row,
            sqrt(error / norm));
    allError += error;
    allNorm += norm;
  }
  if (allNorm > 0) {
    CHECK(sqrt(allError / allNorm) <= 5e-3, "relative L2 %g",
          sqrt(allError / allNorm));
    printf("  %2d tokens: relative L2 %.2e\n", (int)tokens,
           sqrt(allError / allNorm));
  }
}

static void forward(const moec_layer *layer, const host_problem *p,
                    const host_weights *w13, const host_weights *w2,
                    int64_t tokens, int crowded, uint64_t *seed) {
  size_t elements = (size_t)(tokens * p->hidden);
  uint16_t *x = malloc(elements * 2 + 1), *out = malloc(elements * 2 + 1);
  double *expected = malloc(elements * 8 + 1);
  CHECK(x && out && expected, "memory");
  for (size_t i = 0; i < elements; ++i)
    x[i] = host_to_bf16(2 * host_random(seed) - 1);
  routing r = makeRouting(p, tokens, crowded, seed);
  size_t pairBytes = (size_t)(tokens * p->topk) * 4;
  uint64_t workspaceBytes;
  OK(moec_layer_workspace_bytes(layer, tokens, &workspaceBytes));
  void *deviceX = toDevice(x, elements * 2),
       *deviceIds = toDevice(r.ids, pairBytes),
       *deviceWeights = toDevice(r.weights, pairBytes),
       *deviceOut = toDevice(NULL, elements * 2),
       *workspace = toDevice(NULL, workspaceBytes);
  moec_forward_args args = {.struct_size = sizeof args,
                            .tokens = tokens,
                            .x = deviceX,
                            .topk_ids = deviceIds,
                            .topk_weights = deviceWeights,
                            .out = deviceOut,
                            .workspace = workspace,
                            .workspace_bytes = workspaceBytes};
  OK(moec_layer_forward(layer, &args));
  CHECK(hipDeviceSynchronize() == 0, "synchronize");
  if (elements)
    CHECK(hipMemcpy(out, deviceOut, elements * 2, 2) == 0, "to host");
  host_layer(p, w13, w2, tokens, x, r.ids, r.weights, expected);
  compare(p, tokens, out, expected);
  void *device[] = {deviceX, deviceIds, deviceWeights, deviceOut, workspace};
  for (int i = 0; i < 5; ++i)
    hipFree(device[i]);
  void *host[] = {x, out, expected, r.ids, r.weights};
  for (int i = 0; i < 5; ++i)
    free(host[i]);
}

/* ---- Layers ---- */
static moec_layer *makeLayer(moec_context *context, const host_problem *p) {
  moec_problem problem = {.struct_size = sizeof problem,
                          .hidden = p->hidden,
                          .inter = p->inter,
                          .experts = p->experts,
                          .topk = p->topk,
                          .group = p->group,
                          .weights = "int4"};
  moec_layer *layer;
  OK(moec_layer_create(context, &problem, NULL, &layer));
  return layer;
}

/* Weights in device memory, bound and packed there, one expert at a time. */
static void giveWeights(moec_layer *layer, const char *name, int64_t experts,
                        const host_weights *w, void **values, void **scales) {
  *values = toDevice(w->values, w->values_bytes);
  *scales = toDevice(w->scales, w->scales_bytes);
  moec_weights weights = {.struct_size = sizeof weights,
                          .tensor = name,
                          .layout = "ct_pack",
                          .values = *values,
                          .values_bytes = w->values_bytes,
                          .scales = *scales,
                          .scales_bytes = w->scales_bytes,
                          .memory = MOEC_MEMORY_DEVICE};
  OK(moec_layer_bind_weights(layer, &weights));
  for (int64_t expert = 0; expert < experts; ++expert)
    OK(moec_layer_pack_weights(layer, name, expert, 1));
}

static void runCase(moec_context *context, int index) {
  const host_problem *p = &cases[index];
  uint64_t seed = (uint64_t)(seedStart + index);
  printf("case %d, seed %d\n", index, seedStart + index);
  host_weights w13 = host_make_weights(p, 2 * p->inter, p->hidden, &seed);
  host_weights w2 = host_make_weights(p, p->hidden, p->inter, &seed);
  moec_layer *layer = makeLayer(context, p);
  void *memory[4];
  giveWeights(layer, "w13", p->experts, &w13, &memory[0], &memory[1]);
  giveWeights(layer, "w2", p->experts, &w2, &memory[2], &memory[3]);
  moec_prepare_options prepare = {.struct_size = sizeof prepare,
                                  .buckets = buckets,
                                  .bucket_count = bucketCount};
  OK(moec_layer_prepare(layer, &prepare));
  for (size_t i = 0; i < sizeof tokenCounts / sizeof *tokenCounts; ++i)
    forward(layer, p, &w13, &w2, tokenCounts[i], 0, &seed);
  forward(layer, p, &w13, &w2, 20, 1, &seed);
  moec_layer_destroy(layer);
  for (int i = 0; i < 4; ++i)
    hipFree(memory[i]);
  host_free_weights(&w13);
  host_free_weights(&w2);
}

/* The engine's process never maps LLVM. */
static void checkMaps(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps, "/proc");
  char line[4096];
  while (fgets(line, sizeof line, maps))
    CHECK(!strstr(line, "LLVM") && !strstr(line, "MLIR") &&
              !strstr(line, "moec_compiler"),
          "mapped: %s", line);
  fclose(maps);
}

/* ---- Killing the worker ---- */

/* A child of this process, 0 for none. */
static pid_t findChild(void) {
  DIR *directory = opendir("/proc");
  CHECK(directory, "/proc");
  pid_t child = 0;
  for (struct dirent *entry; !child && (entry = readdir(directory));) {
    char path[300], state;
    int pid = atoi(entry->d_name), parent = 0;
    if (pid <= 0)
      continue;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *stat = fopen(path, "r");
    if (!stat)
      continue;
    if (fscanf(stat, "%*d (%*[^)]) %c %d", &state, &parent) == 2 &&
        parent == getpid() && state != 'Z')
      child = pid;
    fclose(stat);
  }
  closedir(directory);
  return child;
}

/* Whether that process has the compiler library mapped. */
static int hasCompiler(pid_t process) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", process);
  FILE *maps = fopen(path, "r");
  int found = 0;
  while (maps && !found && fgets(line, sizeof line, maps))
    found = strstr(line, "moec_compiler") != NULL;
  if (maps)
    fclose(maps);
  return found;
}

/* The request is sent when the worker starts, so a worker that has loaded the
 * compiler goes on to compile at once. */
static void *killWorker(void *unused) {
  (void)unused;
  for (int attempt = 0; attempt < 50000; ++attempt) {
    pid_t worker = findChild();
    if (worker && hasCompiler(worker)) {
      usleep(20000);
      kill(worker, SIGKILL);
      return NULL;
    }
    usleep(200);
  }
  CHECK(0, "no worker was started");
  return NULL;
}

static void killedWorker(moec_context *context) {
  moec_layer *layer = makeLayer(context, &cases[0]);
  pthread_t killer;
  CHECK(pthread_create(&killer, NULL, killWorker, NULL) == 0, "thread");
  size_t count;
  moec_error *error = moec_layer_tensor_count(layer, &count);
  pthread_join(killer, NULL);
  printf("%s\n", moec_error_get_message(error));
  CHECK(moec_error_get_code(error) == MOEC_ERROR_WORKER, "code %d",
        (int)moec_error_get_code(error));
  CHECK(strstr(moec_error_get_message(error), "was killed by signal 9"), "message");
  moec_error_destroy(error);
  moec_layer_destroy(layer);
  runCase(context, 0); /* The next call starts a new worker. */
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  int bundle = argc == 4 && !strcmp(mode, "bundle");
  openHip();
  moec_context *context;
  moec_context_options options = {.struct_size = sizeof options,
                                  .never_compile = bundle};
  OK(moec_context_create(&options, &context));
  if (bundle) {
    OK(moec_context_add_bundle_file(context, argv[3]));
    runCase(context, atoi(argv[2]) % caseCount);
  } else if (!strcmp(mode, "kill")) {
    killedWorker(context);
  } else {
    for (int i = 0; i < caseCount; ++i)
      runCase(context, i);
  }
  checkMaps();
  moec_context_destroy(context);
  return 0;
}
