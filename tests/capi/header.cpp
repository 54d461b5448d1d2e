// moec.h compiles alone as C++.
#include <moec/moec.h>

static_assert(sizeof(moec_problem) > sizeof(size_t));
