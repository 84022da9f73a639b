# With LATHE_STATIC, the tools contain MLIR, LLVM and every other library but that of C, so that they run on any Linux with it:
# the Python package holds such tools. Sets LATHE_LLVM, LATHE_FMT, LATHE_ZLIB and LATHE_ZSTD, what tools link for these libraries.
option(LATHE_STATIC "Link MLIR, LLVM and all other libraries into the tools" OFF)
if(NOT LATHE_STATIC)
  set(LATHE_LLVM MLIR LLVM)
  set(LATHE_FMT fmt::fmt)
  find_package(ZLIB REQUIRED)
  set(LATHE_ZLIB ZLIB::ZLIB)
  find_library(LATHE_ZSTD zstd REQUIRED)
  return()
endif()

# lld takes from archives only what is used.
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER archives EXCLUDE REGEX "Test|CAPI|RegisterAll")
set(Protobuf_USE_STATIC_LIBS ON)
find_library(LATHE_ZLIB libz.a REQUIRED)
find_library(LATHE_ZSTD libzstd.a REQUIRED)

# The linker that lathec holds refers to the code generators of all CPUs, for link-time optimisation, which lathec does not use. Empty
# functions in place of those that set up the CPUs that Lathe has no code for keep their code generators out.
set(stubs "")
set(others ${LLVM_TARGETS_TO_BUILD} ${LLVM_EXPERIMENTAL_TARGETS_TO_BUILD})
list(REMOVE_ITEM others X86 AArch64 NVPTX)
foreach(target ${others})
  foreach(part TargetInfo Target TargetMC AsmParser AsmPrinter Disassembler TargetMCA)
    string(APPEND stubs "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
  endforeach()
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/OtherTargets.cpp CONTENT "${stubs}")
# The same optimisation would load Polly.
add_library(LatheOtherTargets OBJECT ${CMAKE_BINARY_DIR}/OtherTargets.cpp ${PROJECT_SOURCE_DIR}/cmake/NoPolly.cpp)
set(LATHE_LLVM $<TARGET_OBJECTS:LatheOtherTargets> ${archives} ${LATHE_ZLIB} ${LATHE_ZSTD})

# Debian's fmt has no archive.
add_library(LatheFmt STATIC ${PROJECT_SOURCE_DIR}/cmake/Fmt.cpp)
target_compile_definitions(LatheFmt PUBLIC FMT_SHARED) # as of the shared one, so that ccache serves both kinds of build
set(LATHE_FMT LatheFmt)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
