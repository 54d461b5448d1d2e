// The trace functions from C: the header alone, and structs that are refused.
#include "runtime/hipsim/hip/hipsim_trace.h"

#include <stdio.h>

static void ignore(const hipsim_trace_event *event, void *user) {
  (void)event;
  (void)user;
}

static int failures = 0;
static void expect(int result, int expected, const char *what) {
  if (result == expected)
    return;
  printf("%s: expected %d, found %d\n", what, expected, result);
  ++failures;
}

int main(void) {
  uint64_t waves[] = {0, 3};
  hipsim_trace_options options = {sizeof(options), waves, 2, NULL, 0, ignore, NULL};
  expect(hipsimTrace(&options), 0, "two waves");
  expect(hipsimTrace(NULL), 0, "off");
  options.struct_size = sizeof(options) - 8;
  expect(hipsimTrace(&options), 1, "a struct of another size");
  options.struct_size = sizeof(options);
  options.callback = NULL;
  expect(hipsimTrace(&options), 1, "no callback");
  return failures != 0;
}
