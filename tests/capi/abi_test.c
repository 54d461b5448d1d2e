/* The binary interface: layouts of structs are frozen, older and newer callers
 * work, and what is unknown is refused. */
#include "check.h"

#include <stddef.h>

#define LAYOUT(type, member, offset)                                           \
  _Static_assert(offsetof(type, member) == (offset), #type "." #member)

_Static_assert(sizeof(moec_problem) == 112, "moec_problem");
LAYOUT(moec_problem, hidden, 8);
LAYOUT(moec_problem, weights, 48);
LAYOUT(moec_problem, alpha, 80);
LAYOUT(moec_problem, given, 104);
_Static_assert(sizeof(moec_context_options) == 64, "moec_context_options");
LAYOUT(moec_context_options, device, 16);
LAYOUT(moec_context_options, worker, 24);
LAYOUT(moec_context_options, log, 48);
_Static_assert(sizeof(moec_layer_options) == 32, "moec_layer_options");
_Static_assert(sizeof(moec_tensor_info) == 112, "moec_tensor_info");
LAYOUT(moec_tensor_info, shape, 48);
LAYOUT(moec_tensor_info, group, 88);
_Static_assert(sizeof(moec_weights) == 72, "moec_weights");
LAYOUT(moec_weights, values, 24);
LAYOUT(moec_weights, memory, 64);
_Static_assert(sizeof(moec_prepare_options) == 48, "moec_prepare_options");
LAYOUT(moec_prepare_options, progress, 32);
_Static_assert(sizeof(moec_forward_args) == 88, "moec_forward_args");
LAYOUT(moec_forward_args, out, 40);
LAYOUT(moec_forward_args, stream, 80);

int main(void) {
  CHECK(moec_version() == MOEC_VERSION);
  int supported = -1;

  /* A newer caller: a longer struct works while its tail is zero. */
  struct {
    moec_problem problem;
    uint64_t later[2];
  } newer = {.problem = sampleProblem()};
  newer.problem.struct_size = sizeof newer;
  OK(moec_supports(&newer.problem, &supported, NULL, NULL));
  CHECK(supported == 1);
  newer.later[1] = 1;
  FAILS(moec_supports(&newer.problem, &supported, NULL, NULL), MOEC_ERROR_USAGE,
        "moec_problem has 128 bytes and uses fields that this library (version "
        "0.1, 112 bytes) does not know; use a newer libmoec");

  /* Forgotten or wild sizes. */
  moec_problem problem = sampleProblem();
  problem.struct_size = 0;
  FAILS(moec_supports(&problem, &supported, NULL, NULL), MOEC_ERROR_USAGE,
        "moec_problem.struct_size is 0, expected at least 112; set it to "
        "sizeof(moec_problem)");
  problem.struct_size = (size_t)-1;
  FAILS(moec_supports(&problem, &supported, NULL, NULL), MOEC_ERROR_USAGE,
        "does not know");

  /* Null everywhere is legal or an error, never a crash. */
  FAILS(moec_supports(NULL, &supported, NULL, NULL), MOEC_ERROR_USAGE,
        "'moec_problem' is a null pointer");
  FAILS(moec_context_create(NULL, NULL), MOEC_ERROR_USAGE, "'context'");
  FAILS(moec_layer_create(NULL, &problem, NULL, NULL), MOEC_ERROR_USAGE,
        "'context'");
  FAILS(moec_layer_prepare(NULL, NULL), MOEC_ERROR_USAGE, "'layer'");
  FAILS(moec_layer_forward(NULL, NULL), MOEC_ERROR_USAGE, "'layer'");
  moec_context_destroy(NULL);
  moec_layer_destroy(NULL);
  moec_error_destroy(NULL);
  CHECK(moec_error_get_code(NULL) == MOEC_OK);
  CHECK(!strcmp(moec_error_get_message(NULL), ""));
  return 0;
}
