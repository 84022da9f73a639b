# The build of Lathe's C++: the packaged MLIR, one precompiled header, ccache, and functions that make a target of a folder.
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
include(LatheStatic)
# The compiler allocates much: mimalloc makes it an eighth faster than glibc's malloc. Sanitizers have an allocator of their own.
find_package(mimalloc QUIET)
string(FIND "${CMAKE_CXX_FLAGS}" "-fsanitize" sanitized)
if(mimalloc_FOUND AND sanitized EQUAL -1 AND NOT LATHE_STATIC)
  set(LATHE_ALLOCATOR -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
endif()

find_program(LATHE_CCACHE ccache)
if(LATHE_CCACHE)
  # ccache reuses objects compiled with a precompiled header only if it may ignore time stamps and the defines in that header.
  # Paths relative to the source tree let one checkout reuse the objects of another.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true CCACHE_DEPEND=true
      CCACHE_PCH_EXTSUM=true CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${LATHE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
# LLVM's packages use -O2, too; -O3 takes longer to build and does not make a compiler faster.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Exceptions are off, as in LLVM, except in the one file of each tool that uses CLI11.
set(LATHE_CXX_FLAGS -fno-exceptions -frtti -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden)

# Clang builds the precompiled header by a rule of our own: CMake's rule puts a path into each command that differs between
# checkouts, so that ccache would find nothing. ninja knows the header's dependencies, so Clang need not validate it.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_library(LathePCH OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/Precompiled.h PROPERTIES LANGUAGE CXX)
  target_compile_options(LathePCH PRIVATE ${LATHE_CXX_FLAGS} "SHELL:-x c++-header" "SHELL:-Xclang -fno-pch-timestamp"
                         -fpch-instantiate-templates)
  # The header names the files of its checkout, so ccache must not hand out that of a checkout that no longer exists.
  set_target_properties(LathePCH PROPERTIES CXX_COMPILER_LAUNCHER "")
  add_dependencies(LathePCH LatheTableGen)
  # For each object, ccache hashes the file Precompiled.pch.sum instead of the 130 MB of the header itself. The sum is that of the
  # preprocessed header, which is the same in every checkout.
  set(LATHE_PCH ${CMAKE_BINARY_DIR}/Precompiled.pch)
  add_library(LathePCHText OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
  target_compile_options(LathePCHText PRIVATE ${LATHE_CXX_FLAGS} "SHELL:-x c++-header" -E -P -dD)
  set_target_properties(LathePCHText PROPERTIES CXX_COMPILER_LAUNCHER "")
  add_dependencies(LathePCHText LatheTableGen)
  set(header $<TARGET_OBJECTS:LathePCH>)
  set(text $<TARGET_OBJECTS:LathePCHText>)
  add_custom_command(OUTPUT ${LATHE_PCH} ${LATHE_PCH}.sum DEPENDS ${header} ${text} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E rm -f ${LATHE_PCH}
                     COMMAND ${CMAKE_COMMAND} -E create_hardlink ${header} ${LATHE_PCH}
                     COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/Sum.cmake ${text} ${LATHE_PCH}.sum)
  add_custom_target(LathePCHSum DEPENDS ${LATHE_PCH}.sum)
  add_dependencies(LathePCHSum LathePCH)
endif()

# Compiles a target's sources with the precompiled header.
function(lathe_precompiled target)
  if(LATHE_PCH)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${LATHE_PCH} ${LATHE_PCH}.sum)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS
                 -include-pch ${LATHE_PCH} -Xclang -fno-validate-pch)
    add_dependencies(${target} LathePCHSum)
  endif()
endfunction()

option(LATHE_UNITY "Compile up to ten files of a library as one: everything in half the time, one change in more" ON)

# Sets `out` to the files to compile for a target's SOURCES: with LATHE_UNITY, files that include ten of them each. Sources named
# in ALONE are compiled separately, because another source of the folder has private names equal to theirs.
function(lathe_unite out target)
  cmake_parse_arguments(arg "" "" "SOURCES;ALONE" ${ARGN})
  if(NOT LATHE_UNITY)
    set(${out} ${arg_SOURCES} PARENT_SCOPE)
    return()
  endif()
  set(units)
  set(batch)
  list(LENGTH arg_SOURCES left)
  set(number 0)
  foreach(source ${arg_SOURCES})
    math(EXPR left "${left} - 1")
    get_filename_component(name ${source} NAME)
    if(name IN_LIST arg_ALONE)
      list(APPEND units ${source})
    else()
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source}) # the same text in every checkout, for ccache
      string(APPEND batch "#include \"${path}\"\n")
      math(EXPR number "${number} + 1")
    endif()
    math(EXPR inBatch "${number} % 10")
    if(batch AND (inBatch EQUAL 0 OR left EQUAL 0))
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}-${number}.cpp)
      file(GENERATE OUTPUT ${unit} CONTENT "${batch}")
      list(APPEND units ${unit})
      set(batch)
    endif()
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# Sets `out` to all .cpp files of the current folder and of FOLDERS below it, except for those named in EXCLUDE.
function(lathe_sources out)
  cmake_parse_arguments(arg "" "" "FOLDERS;EXCLUDE" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder ${arg_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  foreach(name ${arg_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# lathe_add_library(NAME [LINK lib...] [DEPENDS target...] [FOLDERS folder...] [EXCLUDE file...] [ALONE file...]): adds a static
# library of the files that lathe_sources finds. lathe_unite receives ALONE.
function(lathe_add_library name)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS;FOLDERS;EXCLUDE;ALONE" ${ARGN})
  foreach(library ${arg_LINK})
    if(library MATCHES "^(MLIR|LLVM)") # its own dependency is the shared LLVM, which static tools must not need
      message(FATAL_ERROR "${name} links ${library}; leave it out, tools link all of MLIR and LLVM")
    endif()
  endforeach()
  lathe_sources(sources FOLDERS ${arg_FOLDERS} EXCLUDE ${arg_EXCLUDE})
  lathe_unite(sources ${name} SOURCES ${sources} ALONE ${arg_ALONE})
  add_library(${name} STATIC ${sources})
  target_compile_options(${name} PRIVATE ${LATHE_CXX_FLAGS})
  lathe_precompiled(${name} ${sources})
  target_link_libraries(${name} PUBLIC ${arg_LINK} ${LATHE_FMT})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# lathe_add_passes(NAME [LINK lib...] ...): adds the library LatheNAME of the passes that NAME.td in the current folder declares.
# lathe_add_library receives the other arguments. The library joins the list that lathe-opt registers.
function(lathe_add_passes name)
  set(LLVM_TARGET_DEFINITIONS ${name}.td)
  mlir_tablegen(${name}.h.inc -gen-pass-decls -name=${name} -I ${PROJECT_SOURCE_DIR})
  add_public_tablegen_target(Lathe${name}Passes)
  lathe_add_library(Lathe${name} DEPENDS Lathe${name}Passes ${ARGN})
  file(RELATIVE_PATH header ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.h)
  set_property(GLOBAL APPEND PROPERTY LATHE_PASSES ${name})
  set_property(GLOBAL APPEND PROPERTY LATHE_PASS_HEADERS ${header})
endfunction()

# lathe_add_tool(NAME [LINK lib...] [SOURCES file...] [EXCEPTIONS file...] [ALONE file...]): adds an executable of SOURCES (default:
# every .cpp file of the current folder), linked to MLIR and LLVM. EXCEPTIONS names those that use a library which
# throws. lathe_unite receives ALONE.
function(lathe_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK;SOURCES;EXCEPTIONS;ALONE" ${ARGN})
  set(sources ${arg_SOURCES})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(NOT sources)
    lathe_sources(sources)
  endif()
  list(TRANSFORM arg_EXCEPTIONS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_EXCEPTIONS})
  lathe_unite(sources ${name} SOURCES ${sources} ALONE ${arg_ALONE})
  add_executable(${name} ${sources} ${arg_EXCEPTIONS})
  target_compile_options(${name} PRIVATE ${LATHE_CXX_FLAGS})
  target_compile_definitions(${name} PRIVATE LATHE_VERSION="${PROJECT_VERSION}")
  lathe_precompiled(${name} ${sources})
  set_source_files_properties(${arg_EXCEPTIONS} PROPERTIES COMPILE_OPTIONS -fexceptions)
  target_link_libraries(${name} PRIVATE ${LATHE_ALLOCATOR} ${arg_LINK} ${LATHE_FMT} ${LATHE_LLVM})
endfunction()
