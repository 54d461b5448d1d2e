// Buffers of a generated kernel; C, shared by kernels and harness.
#ifndef DIFFERENTIAL_LAYOUT_H
#define DIFFERENTIAL_LAYOUT_H

enum {
  IN_BYTES = 4096,  ///< Read by every work item; + 64 that no mask reaches.
  OWN_BYTES = 512,  ///< Written by one work item each:
  OWN_STORES = 256, ///<   0.. stores of the phases
  OWN_VALUES = 448, ///<   256.. 16 bytes for each variable at the end
                    ///<   448.. checksums after each phase, 4 bytes each
  ACC_BYTES = 1024, ///< Atomics: 128 words of 32, then 64 of 64 bits.
  APPROX_VALUES = 8,
  LDS_BYTES = 4096, ///< 0.. 256 slots of 8 bytes, 2048.. atomics
  MAX_BLOCK = 256,
  VALUE_BYTES = 16,
};

#endif
