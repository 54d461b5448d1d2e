/* A HIP library that runs nothing and records everything.
 *
 * Device memory is host memory. Launches are kept with their argument blocks in
 * static storage, so that recording does not allocate. A test finds the
 * fakehip_ functions with dlsym. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { maxLaunches = 256, maxArgs = 512, maxNames = 256 };

typedef struct fake_launch {
  const char *kernel;
  unsigned grid[3], block[3];
  void *stream;
  size_t size;
  unsigned char args[maxArgs];
} fake_launch;

static fake_launch launches[maxLaunches];
static int launchCount, loadCount, unloadCount, liveAllocations, copyCount;
static int currentDevice, setDeviceCount;
static char failingCall[64];
static int failAfter;
static char names[maxNames][64];
static int nameCount;

/* ---- For tests ---- */
fake_launch *fakehip_launches(int *count) {
  *count = launchCount;
  return launches;
}
void fakehip_clear(void) { launchCount = 0; }
int fakehip_loads(void) { return loadCount; }
int fakehip_unloads(void) { return unloadCount; }
int fakehip_allocations(void) { return liveAllocations; }
int fakehip_copies(void) { return copyCount; }
int fakehip_set_device_calls(void) { return setDeviceCount; }
/* Call `call` fails once, after `after` more successes. "" for none. */
void fakehip_fail(const char *call, int after) {
  strncpy(failingCall, call, sizeof failingCall - 1);
  failAfter = after;
}

static int fails(const char *call) {
  if (strcmp(call, failingCall) != 0 || failAfter-- > 0)
    return 0;
  failingCall[0] = 0;
  return 1;
}
enum { success = 0, invalidValue = 1, outOfMemory = 2, unknown = 999 };

/* ---- HIP ---- */
const char *hipGetErrorName(int error) {
  return error == unknown       ? "hipErrorUnknown"
         : error == outOfMemory ? "hipErrorOutOfMemory"
                                : "hipErrorInvalidValue";
}
const char *hipGetErrorString(int error) {
  return error == unknown ? "injected failure" : "not injected";
}
int hipGetDeviceCount(int *count) {
  if (fails("hipGetDeviceCount"))
    return unknown;
  *count = 2;
  return success;
}
int hipGetDevice(int *device) {
  if (fails("hipGetDevice"))
    return unknown;
  *device = currentDevice;
  return success;
}
int hipSetDevice(int device) {
  if (fails("hipSetDevice"))
    return unknown;
  ++setDeviceCount;
  currentDevice = device;
  return success;
}
int hipGetDevicePropertiesR0600(void *properties, int device) {
  if (fails("hipGetDeviceProperties") || device > 1)
    return unknown;
  memset(properties, 0, 1472);
  strcpy((char *)properties + 1160, "gfx942:sramecc+:xnack-");
  return success;
}
int hipMalloc(void **pointer, size_t bytes) {
  if (fails("hipMalloc"))
    return outOfMemory;
  *pointer = aligned_alloc(256, (bytes + 255) / 256 * 256);
  liveAllocations += *pointer != NULL;
  return *pointer ? success : outOfMemory;
}
int hipFree(void *pointer) {
  liveAllocations -= pointer != NULL;
  free(pointer);
  return success;
}
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  (void)kind;
  if (fails("hipMemcpy"))
    return unknown;
  ++copyCount;
  memcpy(to, from, bytes);
  return success;
}
int hipModuleLoadData(void **module, const void *image) {
  if (fails("hipModuleLoadData"))
    return unknown;
  *module = (void *)image;
  ++loadCount;
  return success;
}
int hipModuleUnload(void *module) {
  (void)module;
  ++unloadCount;
  return success;
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  if (fails("hipModuleGetFunction") || nameCount == maxNames)
    return unknown;
  strncpy(names[nameCount], name, sizeof names[0] - 1);
  *function = names[nameCount++];
  return success;
}
int hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned shared, void *stream,
                          void **params, void **extra) {
  (void)shared;
  if (fails("hipModuleLaunchKernel"))
    return unknown;
  if (params || !extra || launchCount == maxLaunches || extra[0] != (void *)1 ||
      extra[2] != (void *)2 || extra[4] != (void *)3)
    return invalidValue;
  fake_launch *launch = &launches[launchCount++];
  launch->kernel = function;
  unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  memcpy(launch->grid, grid, sizeof grid);
  memcpy(launch->block, block, sizeof block);
  launch->stream = stream;
  launch->size = *(size_t *)extra[3];
  if (launch->size > maxArgs)
    return invalidValue;
  memcpy(launch->args, extra[1], launch->size);
  return success;
}
