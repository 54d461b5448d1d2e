/* Bad input: problems, libraries, bundles. */
#include "check.h"

static char seen[4096];

static void collect(void *user, moec_error_code code, const char *id,
                    const char *message) {
  (void)user;
  size_t used = strlen(seen);
  snprintf(seen + used, sizeof seen - used, "%d %s: %s\n", (int)code, id, message);
}

static void supports(void) {
  moec_problem problem = sampleProblem();
  problem.hidden = 72;
  problem.scale = "f16";
  problem.given = MOEC_GIVEN_LIMIT;
  problem.limit = 7;
  int supported = 1;
  OK(moec_supports(&problem, &supported, collect, NULL));
  CHECK(supported == 0);
  CHECK(!strcmp(
      seen, "2 hidden-multiple: hidden is 72; it must be a multiple of 32, because "
            "it is the K of one of the expert GEMMs\n"
            "4 scale-unsupported: scale is 'f16'; this release computes bf16\n"
            "4 limit-unsupported: limit is 7; the activation 'silu' does not take "
            "it in this release\n"));
  problem.given = 8;
  FAILS(moec_supports(&problem, &supported, NULL, NULL), MOEC_ERROR_USAGE,
        "moec_problem.given has unknown bits 0x8");
}

static void libraries(void) {
  moec_context *context = NULL;
  moec_context_options options = {.struct_size = sizeof options,
                                  .hip_library = "/nonexistent/libhip.so"};
  /* R41: MOEC_HIP_LIBRARY would work, and is not taken instead. */
  FAILS(moec_context_create(&options, &context), MOEC_ERROR_FILE,
        "cannot load the HIP library '/nonexistent/libhip.so' (named by the "
        "caller)");
  options.hip_library = "libc.so.6";
  FAILS(moec_context_create(&options, &context), MOEC_ERROR_DEVICE,
        "lacks the HIP function hipGetDeviceCount");
  options.hip_library = NULL;
  options.device = 2;
  FAILS(moec_context_create(&options, &context), MOEC_ERROR_USAGE,
        "there is no device 2: ");
  CHECK(context == NULL);

  char *good = strdup(getenv("MOEC_HIP_LIBRARY"));
  setenv("MOEC_HIP_LIBRARY", "/nonexistent/libhip.so", 1);
  FAILS(moec_context_create(NULL, &context), MOEC_ERROR_FILE,
        "(named by MOEC_HIP_LIBRARY)");
  setenv("MOEC_HIP_LIBRARY", good, 1);
  free(good);
  OK(moec_context_create(NULL, &context));
  CHECK(!strcmp(moec_context_target(context), "gfx942"));
  CHECK(strstr(moec_context_hip_library(context), "libfakehip.so"));
  moec_context_destroy(context);
}

static void bundles(void) {
  moec_context *context;
  OK(moec_context_create(NULL, &context));
  FAILS(moec_context_add_bundle_file(context, "/nonexistent/a.moec"),
        MOEC_ERROR_FILE, "cannot open '/nonexistent/a.moec'");
  FAILS(moec_context_add_bundle_file(context, bundlePath("gfx950.moec")),
        MOEC_ERROR_UNSUPPORTED,
        "the bundle is for the target 'gfx950', the device is 'gfx942'; compile it "
        "with --target=gfx942");
  FILE *file = fopen(bundlePath("only16.moec"), "rb");
  CHECK(file);
  static unsigned char bytes[1 << 20];
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  FAILS(moec_context_add_bundle(context, bytes, size / 2), MOEC_ERROR_CONTENT,
        "truncated: expected ");
  bytes[size / 2] ^= 4;
  FAILS(moec_context_add_bundle(context, bytes, size), MOEC_ERROR_CONTENT,
        "altered: its checksum does not match");
  bytes[size / 2] ^= 4;
  OK(moec_context_add_bundle(context, bytes, size));

  /* Two plans for one problem: which one is never guessed. */
  OK(moec_context_add_bundle_file(context, bundlePath("two.moec")));
  moec_problem problem = sampleProblem();
  moec_layer *layer;
  OK(moec_layer_create(context, &problem, NULL, &layer));
  size_t count;
  FAILS(moec_layer_tensor_count(layer, &count), MOEC_ERROR_USAGE,
        "the bundles have several plans for this problem: other, sample; name one "
        "when the layer is created");
  moec_layer_destroy(layer);
  moec_layer_options options = {.struct_size = sizeof options, .plan = "other"};
  OK(moec_layer_create(context, &problem, &options, &layer));
  OK(moec_layer_tensor_count(layer, &count));
  CHECK(count == 6);
  moec_layer_destroy(layer);

  problem.hidden = 72;
  FAILS(moec_layer_create(context, &problem, NULL, &layer), MOEC_ERROR_USAGE,
        "problem: hidden is 72; it must be a multiple of 32");
  problem = sampleProblem();
  problem.scale = "f16";
  FAILS(moec_layer_create(context, &problem, NULL, &layer),
        MOEC_ERROR_UNSUPPORTED, "scale is 'f16'");
  moec_context_destroy(context);
}

int main(void) {
  supports();
  libraries();
  bundles();
  return 0;
}
