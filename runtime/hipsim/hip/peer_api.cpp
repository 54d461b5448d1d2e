// Which device may touch the memory of which.
#include "runtime/hipsim/hip/runtime.h"

using namespace hipsim;

namespace {

/// Enables or disables for the current device.
hipError_t change(int peer, bool enable) {
  Runtime &runtime = Runtime::get();
  if (!runtime.isDevice(peer) || uint32_t(peer) == currentDevice)
    return hipErrorInvalidDevice;
  Device &device = runtime.current();
  uint64_t bit = 1ull << peer;
  bool enabled = device.reachable & bit;
  if (enabled == enable)
    return enable ? hipErrorPeerAccessAlreadyEnabled : hipErrorPeerAccessNotEnabled;
  if (enable) {
    device.reachable |= bit;
  } else {
    device.waitAll(); // What is queued was queued with access.
    device.reachable &= ~bit;
  }
  return hipSuccess;
}

} // namespace

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  Runtime &runtime = Runtime::get();
  if (!can)
    return finish(hipErrorInvalidValue);
  if (!runtime.isDevice(device) || !runtime.isDevice(peer))
    return finish(hipErrorInvalidDevice);
  *can = device != peer; // Every two of a node are linked.
  return finish(hipSuccess);
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return finish(flags ? hipErrorInvalidValue : change(peer, true));
}

hipError_t hipDeviceDisablePeerAccess(int peer) { return finish(change(peer, false)); }

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int source,
                                    int destination) {
  Runtime &runtime = Runtime::get();
  if (!value)
    return finish(hipErrorInvalidValue);
  if (!runtime.isDevice(source) || !runtime.isDevice(destination) || source == destination)
    return finish(hipErrorInvalidDevice);
  switch (attribute) {
  case hipDevP2PAttrAccessSupported:
  case hipDevP2PAttrNativeAtomicSupported: *value = 1; break;
  case hipDevP2PAttrPerformanceRank:
  case hipDevP2PAttrHipArrayAccessSupported: *value = 0; break;
  default: return finish(hipErrorInvalidValue);
  }
  return finish(hipSuccess);
}
