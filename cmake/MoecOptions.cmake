# Warnings, sanitizers and the content-derived build id for all of our targets.
# `moec_target(NAME)` is called once for every target that we define.

function(moec_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(MOEC_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  if(MOEC_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${MOEC_SANITIZE} -fno-omit-frame-pointer -g)
    target_link_options(${name} PRIVATE -fsanitize=${MOEC_SANITIZE})
  endif()
endfunction()

find_program(MOEC_LLD ld.lld-22 ld.lld)
if(MOEC_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=${MOEC_LLD})
endif()
find_program(MOEC_CCACHE ccache)
if(MOEC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${MOEC_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MOEC_CCACHE})
endif()
