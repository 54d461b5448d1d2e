/* moec.h compiles alone as C11. */
#include <moec/moec.h>

_Static_assert(MOEC_VERSION == MOEC_VERSION_MAJOR * 1000 + MOEC_VERSION_MINOR,
               "version");
