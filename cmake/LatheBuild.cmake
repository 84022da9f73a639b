# How Lathe's C++ is built: the packaged MLIR, one precompiled header, ccache, and lathe_add_library for a folder.
find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir) # its version file refuses a "22" without the patch level
if(LLVM_VERSION_MAJOR LESS 22)
  message(FATAL_ERROR "Lathe needs MLIR 22, found ${LLVM_PACKAGE_VERSION}; scripts/setup installs it")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS_LIST})
find_package(fmt REQUIRED)

find_program(LATHE_CCACHE ccache)
if(LATHE_CCACHE)
  # Precompiled headers are found again only if ccache may ignore their time stamps and pch-dependent defines.
  # Paths relative to the source tree let one checkout profit from another.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${LATHE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  add_link_options(-fuse-ld=lld)
endif()

# Exceptions are off as in LLVM; tools that use CLI11 switch them on for their one file.
set(LATHE_CXX_FLAGS -fno-exceptions -frtti -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden)

add_library(LathePCH STATIC ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_compile_options(LathePCH PRIVATE ${LATHE_CXX_FLAGS})
target_precompile_headers(LathePCH PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)

# lathe_add_library(NAME [LINK lib...] [DEPENDS target...]): a static library of every .cpp in the current folder.
function(lathe_add_library name)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_compile_options(${name} PRIVATE ${LATHE_CXX_FLAGS})
  target_precompile_headers(${name} REUSE_FROM LathePCH)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
  target_link_libraries(${name} PUBLIC ${arg_LINK} fmt::fmt)
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# lathe_add_tool(NAME [LINK lib...]): an executable of every .cpp in the current folder, linked to the shared MLIR and LLVM.
function(lathe_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -frtti)
  target_compile_definitions(${name} PRIVATE LATHE_VERSION="${PROJECT_VERSION}")
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF) # a few files, without a precompiled header that they could share
  target_link_libraries(${name} PRIVATE ${arg_LINK} fmt::fmt MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
