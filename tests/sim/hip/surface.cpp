// Three devices for every test: set before the first HIP call.
#include <cstdlib>

static const bool devicesSet = setenv("HIPSIM_DEVICES", "3", 1) == 0;
