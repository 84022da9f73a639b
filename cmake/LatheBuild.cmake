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
include(LatheStatic)
# Compiling allocates much: with mimalloc it takes an eighth less time than with malloc of glibc. Sanitizers bring their own.
find_package(mimalloc QUIET)
string(FIND "${CMAKE_CXX_FLAGS}" "-fsanitize" sanitized)
if(mimalloc_FOUND AND sanitized EQUAL -1 AND NOT LATHE_STATIC)
  set(LATHE_ALLOCATOR -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
endif()

find_program(LATHE_CCACHE ccache)
if(LATHE_CCACHE)
  # Precompiled headers are found again only if ccache may ignore their time stamps and pch-dependent defines.
  # Paths relative to the source tree let one checkout profit from another.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true CCACHE_DEPEND=true
      CCACHE_PCH_EXTSUM=true CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${LATHE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
# As LLVM's packages are built; -O3 takes longer and gains a compiler nothing.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Exceptions are off as in LLVM; tools that use CLI11 switch them on for their one file.
set(LATHE_CXX_FLAGS -fno-exceptions -frtti -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden)

# The precompiled header is built by a rule of our own, for Clang: of CMake's, ccache does not see that the path may differ
# between checkouts. ninja knows what it depends on, so Clang need not validate it.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_library(LathePCH OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/Precompiled.h PROPERTIES LANGUAGE CXX)
  target_compile_options(LathePCH PRIVATE ${LATHE_CXX_FLAGS} "SHELL:-x c++-header" "SHELL:-Xclang -fno-pch-timestamp"
                         -fpch-instantiate-templates)
  # It names the checkout's headers, so one from the cache would be of no use once another checkout is gone.
  set_target_properties(LathePCH PROPERTIES CXX_COMPILER_LAUNCHER "")
  add_dependencies(LathePCH LatheTableGen)
  # Beside a file of this ending ccache reads the sum instead of the 130 MB, for each object. The sum is that of the preprocessed
  # header, which is the same in every checkout, so that one profits from what another compiled.
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

# What is compiled of a target's SOURCES: with LATHE_UNITY, files that include ten of them each. Those named in ALONE have private
# names that others of the folder have too, and stay by themselves.
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

# All .cpp of the current folder and of FOLDERS below it, less the files of the names in EXCLUDE.
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

# lathe_add_library(NAME [LINK lib...] [DEPENDS target...] [FOLDERS folder...] [EXCLUDE file...] [ALONE file...]): a static
# library of lathe_sources; ALONE is lathe_unite's.
function(lathe_add_library name)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS;FOLDERS;EXCLUDE;ALONE" ${ARGN})
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

# lathe_add_passes(NAME [LINK lib...] ...): the library LatheNAME of the passes that NAME.td of the current folder declares. The
# other arguments are lathe_add_library's.
function(lathe_add_passes name)
  set(LLVM_TARGET_DEFINITIONS ${name}.td)
  mlir_tablegen(${name}.h.inc -gen-pass-decls -name=${name} -I ${PROJECT_SOURCE_DIR})
  add_public_tablegen_target(Lathe${name}Passes)
  lathe_add_library(Lathe${name} DEPENDS Lathe${name}Passes ${ARGN})
endfunction()

# lathe_add_tool(NAME [LINK lib...] [SOURCES file...] [EXCEPTIONS file...] [ALONE file...]): an executable of SOURCES, without them
# of every .cpp in the current folder, linked to MLIR and LLVM. EXCEPTIONS: those of them that use a library which
# throws; ALONE is lathe_unite's.
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
