/* Checks of the C tests: print the place and leave with 1. Deliberately tiny: the
 * programs use nothing but moec.h and libc. */
#ifndef CHECK_H
#define CHECK_H

#include <moec/moec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static inline void checkOk(moec_error *error, const char *file, int line) {
  if (!error)
    return;
  fprintf(stderr, "%s:%d: error %d: %s\n", file, line,
          (int)moec_error_get_code(error), moec_error_get_message(error));
  exit(1);
}
#define OK(call) checkOk((call), __FILE__, __LINE__)

/* `call` fails with this code, and its message contains `text`. */
static inline void checkFails(moec_error *error, moec_error_code code,
                              const char *text, const char *file, int line) {
  const char *message = moec_error_get_message(error);
  if (!error || moec_error_get_code(error) != code || !strstr(message, text)) {
    fprintf(stderr, "%s:%d: expected error %d with \"%s\", found %d: %s\n", file,
            line, (int)code, text, (int)moec_error_get_code(error), message);
    exit(1);
  }
  moec_error_destroy(error);
}
#define FAILS(call, code, text)                                                \
  checkFails((call), (code), (text), __FILE__, __LINE__)

/* The problem of the sample bundles. */
static inline moec_problem sampleProblem(void) {
  moec_problem problem;
  memset(&problem, 0, sizeof problem);
  problem.struct_size = sizeof problem;
  problem.hidden = 160;
  problem.inter = 96;
  problem.experts = 3;
  problem.topk = 2;
  problem.group = 32;
  problem.weights = "int4";
  return problem;
}

static inline const char *bundlePath(const char *name) {
  static char path[4096];
  const char *directory = getenv("MOEC_TEST_BUNDLES");
  CHECK(directory);
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

#endif
