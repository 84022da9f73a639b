# lathe_add_graph(NAME SOURCE graph.mlir [TARGETS x86-64-v3,x86-64-v4] [SPECIALIZE N=1,8,32 ...] [DIMS N=32 ...]
#                 [ENTRIES f,g] [THREADS on|off] [OPTIONS option...])
#
# Compiles a graph while building and makes a library of it: a target that links NAME includes NAME.h and calls NAME_*. The
# options are those of lathec. Without THREADS off the library brings Lathe's runtime and pthread.
function(lathe_add_graph name)
  cmake_parse_arguments(arg "" "SOURCE;TARGETS;ENTRIES;THREADS" "SPECIALIZE;DIMS;OPTIONS" ${ARGN})
  if(NOT arg_SOURCE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lathe_add_graph(${name}): expected SOURCE and lathec's options, got '${ARGN}'")
  endif()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.lathe)
  set(object ${folder}/${name}.o)
  set(header ${folder}/${name}.h)
  file(MAKE_DIRECTORY ${folder})

  set(options --name=${name} ${arg_OPTIONS})
  foreach(pair TARGETS:target ENTRIES:entry THREADS:threads SPECIALIZE:specialize DIMS:dim)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 argument)
    list(GET pair 1 option)
    foreach(value IN LISTS arg_${argument})
      list(APPEND options --${option}=${value})
    endforeach()
  endforeach()

  add_custom_command(OUTPUT ${object} ${header} COMMAND Lathe::lathec ${source} -o ${object} ${options}
                     DEPENDS ${source} Lathe::lathec COMMENT "Compiling graph ${arg_SOURCE}" VERBATIM)
  add_library(${name} STATIC ${object} ${header})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${name} INTERFACE ${folder})
  string(TOLOWER "${arg_THREADS}" threads)
  if(NOT threads STREQUAL "off")
    target_link_libraries(${name} INTERFACE Lathe::runtime)
  endif()
endfunction()
