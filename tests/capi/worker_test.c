/* The compiler process: started on a miss only, warm, mortal, and cached. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char logPath[] = "/tmp/moec-worker-test-XXXXXX";

/* Lines of the worker's log that contain `text`. */
static int logged(const char *text) {
  FILE *file = fopen(logPath, "r");
  CHECK(file);
  char line[4096];
  int count = 0;
  while (fgets(line, sizeof line, file))
    count += strstr(line, text) != NULL;
  fclose(file);
  return count;
}

static _Alignas(16) unsigned char memory[200000];

static void bind(moec_layer *layer, const char *tensor, size_t values,
                 size_t scales) {
  moec_weights weights = {.struct_size = sizeof weights,
                          .tensor = tensor,
                          .layout = "i4r3.v1",
                          .values = memory,
                          .values_bytes = values,
                          .scales = memory,
                          .scales_bytes = scales};
  OK(moec_layer_bind_weights(layer, &weights));
}

static moec_layer *makeLayerFor(moec_context *context, const char *standalone,
                                int64_t firstBucket) {
  moec_problem problem = sampleProblem();
  moec_layer_options options = {.struct_size = sizeof options,
                                .standalone = standalone,
                                .first_bucket = firstBucket};
  moec_layer *layer;
  OK(moec_layer_create(context, &problem, &options, &layer));
  return layer;
}

static moec_layer *makeLayer(moec_context *context, const char *standalone) {
  return makeLayerFor(context, standalone, 0);
}

static moec_error *prepare(moec_layer *layer, int64_t bucket) {
  moec_prepare_options options = {.struct_size = sizeof options,
                                  .buckets = &bucket,
                                  .bucket_count = 1};
  return moec_layer_prepare(layer, &options);
}

static moec_context *makeContext(const char *bundle, const char *cache) {
  moec_context_options options = {.struct_size = sizeof options,
                                  .worker_timeout_ms = 2000,
                                  .cache_directory = cache};
  moec_context *context;
  OK(moec_context_create(&options, &context));
  if (bundle)
    OK(moec_context_add_bundle_file(context, bundlePath(bundle)));
  return context;
}

static void coveredByBundle(void) {
  moec_context *context = makeContext("sample.moec", NULL);
  moec_layer *layer = makeLayer(context, NULL);
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  OK(prepare(layer, 64));
  CHECK(logged("start") == 0);
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

/* A missing bucket is compiled from the text that the bundle carries. */
static void missingBucket(void) {
  moec_context *context = makeContext("only16.moec", NULL);
  moec_layer *layer = makeLayer(context, NULL);
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  OK(prepare(layer, 16));
  CHECK(logged("start") == 0);
  OK(prepare(layer, 64));
  OK(prepare(layer, 128));
  CHECK(logged("start") == 1); /* Kept warm. */
  CHECK(logged("\"buckets\":[64]") == 1 && logged("\"buckets\":[128]") == 1);
  CHECK(logged("moe.layer @sample") == 2);
  OK(prepare(layer, 128));
  CHECK(logged("\"buckets\":[128]") == 1);
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

/* The plan that tells the tensors is one that is used. */
static void firstBucket(void) {
  moec_context *context = makeContext(NULL, NULL);
  moec_layer *layer = makeLayerFor(context, NULL, 32);
  int starts = logged("\"op\":\"compile\"");
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  CHECK(logged("\"buckets\":[32]") == 1);
  OK(prepare(layer, 32));
  CHECK(logged("\"op\":\"compile\"") == starts + 1);
  moec_layer_destroy(layer);

  moec_problem problem = sampleProblem();
  moec_layer_options options = {.struct_size = sizeof options,
                                .first_bucket = -1};
  FAILS(moec_layer_create(context, &problem, &options, &layer), MOEC_ERROR_USAGE,
        "moec_layer_options.first_bucket is -1; it must be 0 to 2147483647");
  moec_context_destroy(context);
}

static void failures(void) {
  moec_context *context = makeContext(NULL, NULL);
  moec_layer *layer = makeLayer(context, NULL);
  size_t count;
  struct {
    const char *mode;
    moec_error_code code;
    const char *text;
  } cases[] = {
      {"die", MOEC_ERROR_WORKER, "was killed by signal 6 (Aborted); it printed: "
                                 "\"LLVM ERROR: something impossible\"; the next "
                                 "call starts a new one"},
      {"hang", MOEC_ERROR_WORKER,
       "was stopped: no answer within the time limit (2 s)"},
      {"garbage", MOEC_ERROR_CONTENT, "the compiler's reply: "},
      {"error", MOEC_ERROR_UNSUPPORTED,
       "compiling buckets 16: a.mlir:3: does not fit LDS\nreproducer: /tmp/r"},
  };
  for (int i = 0; i < 4; ++i) {
    setenv("FAKE_WORKER", cases[i].mode, 1);
    moec_context *fresh = makeContext(NULL, NULL);
    moec_layer *failing = makeLayer(fresh, NULL);
    FAILS(moec_layer_tensor_count(failing, &count), cases[i].code, cases[i].text);
    if (i < 2) { /* The worker is gone: the next call starts a healthy one. */
      setenv("FAKE_WORKER", "", 1);
      OK(moec_layer_tensor_count(failing, &count));
      CHECK(count == 6);
    }
    moec_layer_destroy(failing);
    moec_context_destroy(fresh);
  }
  setenv("FAKE_WORKER", "", 1);

  char *good = strdup(getenv("MOEC_WORKER"));
  setenv("MOEC_WORKER", "/nonexistent/moec", 1);
  FAILS(moec_layer_tensor_count(layer, &count), MOEC_ERROR_WORKER,
        "the compiler worker '/nonexistent/moec' cannot be started: No such file");
  setenv("MOEC_WORKER", good, 1);
  free(good);
  OK(moec_layer_tensor_count(layer, &count));
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

static void standalone(void) {
  moec_context *context = makeContext("sample.moec", NULL);
  moec_layer *layer = makeLayer(context, "gate_up");
  size_t count;
  OK(moec_layer_tensor_count(layer, &count));
  CHECK(logged("\"standalone\":\"gate_up\"") == 1);
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

static void neverCompile(void) {
  moec_context_options options = {.struct_size = sizeof options,
                                  .never_compile = 1};
  moec_context *context;
  OK(moec_context_create(&options, &context));
  OK(moec_context_add_bundle_file(context, bundlePath("only16.moec")));
  moec_layer *layer = makeLayer(context, NULL);
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  FAILS(prepare(layer, 64), MOEC_ERROR_NOT_PREPARED,
        "no plan for buckets 64 and compiling is off; at hand are buckets 16; give "
        "a bundle that has them");
  moec_layer_destroy(layer);
  moec_context_destroy(context);
}

static void cached(void) {
  char directory[] = "/tmp/moec-worker-cache-XXXXXX", command[256];
  CHECK(mkdtemp(directory));
  size_t count;
  int compiled = logged("\"buckets\":[16]");
  for (int run = 0; run < 2; ++run) {
    moec_context *context = makeContext(NULL, directory);
    moec_layer *layer = makeLayer(context, NULL);
    OK(moec_layer_tensor_count(layer, &count));
    CHECK(logged("\"buckets\":[16]") == compiled + 1); /* The first run only. */
    moec_layer_destroy(layer);
    moec_context_destroy(context);
  }
  snprintf(command, sizeof command, "rm -r %s", directory);
  CHECK(system(command) == 0);
}

/* The one entry of `directory` that `known` does not list yet. */
static void newEntry(const char *directory, char known[][300], int count) {
  DIR *entries = opendir(directory);
  CHECK(entries);
  for (struct dirent *e; (e = readdir(entries));) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    int old = e->d_name[0] == '.';
    for (int i = 0; i < count; ++i)
      old |= !strcmp(path, known[i]);
    if (!old)
      strcpy(known[count], path);
  }
  closedir(entries);
}

/* R32: a cache that loses its trust while buckets are read from it gives none of
 * them. The entry of bucket 16 is a pipe, so that the test knows when it is
 * read: after bucket 2 and before bucket 64. */
static void distrusted(void) {
  char directory[] = "/tmp/moec-worker-cache-XXXXXX", command[256];
  CHECK(mkdtemp(directory));
  int64_t buckets[] = {1, 2, 16, 64};
  char entries[4][300] = {{0}};
  moec_context *context = makeContext(NULL, directory);
  moec_layer *layer = makeLayerFor(context, NULL, 1);
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  for (int i = 0; i < 4; ++i) {
    OK(prepare(layer, buckets[i]));
    newEntry(directory, entries, i);
  }
  moec_layer_destroy(layer);
  moec_context_destroy(context);
  CHECK(unlink(entries[2]) == 0 && mkfifo(entries[2], 0600) == 0);

  moec_context_options options = {.struct_size = sizeof options,
                                  .never_compile = 1,
                                  .cache_directory = directory};
  OK(moec_context_create(&options, &context));
  layer = makeLayerFor(context, NULL, 1);
  bind(layer, "w13", 46080, 5760);
  bind(layer, "w2", 23040, 2880);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int pipe = open(entries[2], O_WRONLY); /* Waits for the reader. */
    _exit(pipe < 0 || chmod(directory, 0777) != 0);
  }
  moec_prepare_options all = {
      .struct_size = sizeof all, .buckets = buckets, .bucket_count = 4};
  FAILS(moec_layer_prepare(layer, &all), MOEC_ERROR_NOT_PREPARED,
        "no plan for buckets 2, 16, 64 and compiling is off; at hand are buckets 1;");
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  moec_layer_destroy(layer);
  moec_context_destroy(context);
  snprintf(command, sizeof command, "rm -r %s", directory);
  CHECK(system(command) == 0);
}

int main(void) {
  int fd = mkstemp(logPath);
  CHECK(fd >= 0);
  close(fd);
  setenv("FAKE_WORKER_LOG", logPath, 1);
  coveredByBundle();
  missingBucket();
  firstBucket();
  failures();
  standalone();
  neverCompile();
  cached();
  distrusted();
  unlink(logPath);
  return 0;
}
