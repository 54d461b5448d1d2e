// The operation table of one SIMD level.
#include "runtime/hipsim/exec/ops/lanes.h"

namespace hipsim::HIPSIM_SIMD {

extern const OperationTable &table();

const OperationTable &table() {
  static const OperationTable result = [] {
    OperationTable t;
    addScalar(t);
    addFlow(t);
    addScalarMemory(t);
    addVectorInteger(t);
    addVectorCarry(t);
    addVectorFloat(t);
    addVectorHalf(t);
    addVectorConvert(t);
    addVectorCompare(t);
    addVectorPacked(t);
    addLaneCrossing(t);
    addVectorRare(t);
    addVectorScaled(t);
    addFloatMode(t);
    addMatrix(t);
    addMatrixScaled(t);
    addMatrixSparse(t);
    addLds(t);
    addLdsAtomics(t);
    addGlobal(t);
    addGlobalAtomics(t);
    addBuffer(t);
    return t;
  }();
  return result;
}

} // namespace hipsim::HIPSIM_SIMD
