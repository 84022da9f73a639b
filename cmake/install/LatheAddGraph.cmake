cmake_policy(PUSH)
cmake_policy(VERSION 3.20) # depfiles of custom commands, with any generator, below their own folder

# lathe_add_graph(NAME SOURCE graph.mlir [TARGETS x86-64-v3,x86-64-v4] [SPECIALIZE N=1,8,32 ...] [DIMS N=32 ...]
#                 [ENTRIES f,g] [CONST_INPUTS w=w.npy ...] [THREADS on|off] [CXX_HEADER] [OPTIONS option...])
#
# Compiles a graph as part of the build, and makes a library of it. A target that links NAME includes NAME.h and calls NAME_*.
# Unless THREADS is off, the library links Lathe's runtime and pthread.
#
#   SOURCE        the graph: .mlir, .mlirbc or .onnx. This path and those of CONST_INPUTS are relative to the current source folder
#   TARGETS       --target: one CPU, or x86-64 levels separated by commas; add cuda:sm_90 or another GPU
#   SPECIALIZE    --specialize, once per dimension: sizes that get specialised versions
#   DIMS          --dim, once per dimension: its fixed size
#   ENTRIES       --entry: the functions to export
#   CONST_INPUTS  --const-input, once per input that becomes a constant
#   THREADS       --threads: off for a library without dependencies
#   CXX_HEADER    --cxx-header: also NAME.hpp, the interface for C++17
#   OPTIONS       any other options of lathec, such as --check=finite, -O1, --math=fast, --state=initializers
#
# CMake recompiles the graph when it, a model that it calls, their external data or a constant input changes. The object is
# NAME.lathe/NAME.o in the current binary folder; with OPTIONS --weights=extern, NAME.weights is beside it.
function(lathe_add_graph name)
  cmake_parse_arguments(arg "CXX_HEADER" "SOURCE;TARGETS;ENTRIES;THREADS" "SPECIALIZE;DIMS;CONST_INPUTS;OPTIONS" ${ARGN})
  if(NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lathe_add_graph(${name}): expected SOURCE and options of lathec, got '${ARGN}'")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(C IN_LIST languages)
    set(language C)
  elseif(CXX IN_LIST languages)
    set(language CXX)
  else()
    message(FATAL_ERROR "lathe_add_graph(${name}): a library needs C or C++; enable one of them in project()")
  endif()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.lathe)
  set(object ${folder}/${name}.o)
  set(headers ${folder}/${name}.h)
  file(MAKE_DIRECTORY ${folder})

  set(options --name=${name} ${arg_OPTIONS})
  if(arg_CXX_HEADER)
    list(APPEND headers ${folder}/${name}.hpp)
    list(APPEND options --cxx-header)
  endif()
  foreach(pair IN LISTS arg_CONST_INPUTS)
    string(FIND "${pair}" "=" equals)
    string(SUBSTRING "${pair}" 0 ${equals} input)
    string(REGEX REPLACE "^[^=]*=" "" file "${pair}")
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND options --const-input=${input}=${file})
  endforeach()
  foreach(pair TARGETS:target ENTRIES:entry THREADS:threads SPECIALIZE:specialize DIMS:dim)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 argument)
    list(GET pair 1 option)
    foreach(value IN LISTS arg_${argument})
      list(APPEND options --${option}=${value})
    endforeach()
  endforeach()

  add_custom_command(OUTPUT ${object} ${headers}
                     COMMAND Lathe::lathec ${source} -o ${object} --depfile=${object}.d ${options}
                     DEPENDS ${source} Lathe::lathec DEPFILE ${object}.d COMMENT "Compiling graph ${arg_SOURCE}" VERBATIM)
  add_library(${name} STATIC ${object} ${headers})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${language})
  target_include_directories(${name} INTERFACE ${folder})
  string(TOLOWER "${arg_THREADS}" threads)
  if(NOT threads STREQUAL "off")
    target_link_libraries(${name} INTERFACE Lathe::runtime)
  endif()
endfunction()

cmake_policy(POP)
