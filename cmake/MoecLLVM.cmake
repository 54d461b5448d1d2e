# LLVM, MLIR and lld as Debian ships them: the two shared libraries, and lld's
# static libraries over them. Never name MLIRFoo targets: each pulls in a
# static copy beside libMLIR.so and duplicates its state.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR) # Only for mlir_tablegen().
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}) # mlir_tablegen() reads the directory's.

add_library(moec_llvm INTERFACE)
target_link_libraries(moec_llvm INTERFACE MLIR LLVM)
target_compile_options(moec_llvm INTERFACE -fno-rtti -Wno-unused-parameter)

# moec_mlir_library(NAME SOURCES...): a static library of code over MLIR.
function(moec_mlir_library name)
  add_library(${name} STATIC ${ARGN})
  moec_target(${name})
  target_link_libraries(${name} PUBLIC moec_llvm)
  if(MOEC_PCH)
    if(NOT TARGET moec_pch)
      file(WRITE ${CMAKE_BINARY_DIR}/moec_pch.cpp "")
      add_library(moec_pch STATIC ${CMAKE_BINARY_DIR}/moec_pch.cpp)
      moec_target(moec_pch)
      target_link_libraries(moec_pch PUBLIC moec_llvm)
      target_precompile_headers(moec_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/MoecPch.h)
    endif()
    target_precompile_headers(${name} REUSE_FROM moec_pch)
  endif()
endfunction()
