# ptxlift_add_module(NAME SOURCES file... TARGETS gfx... [OPTIONS word...] [OUTPUT_DIRECTORY dir])
#
# Translates PTX files, fat binaries or executables, which together are one program, when they
# change. NAME becomes an interface library: what links to it is built after it, and finds NAME.h
# (launch helpers) on its include path. The properties PTXLIFT_BUNDLE (NAME.hipfb, which
# hipModuleLoadData takes), PTXLIFT_HEADER and PTXLIFT_MANIFEST (NAME.json) say where the files are;
# the macro NAME_BUNDLE, with the characters of C identifiers, gives the bundle's path to C and C++.

cmake_minimum_required(VERSION 3.20)

if(NOT PTXLIFT_EXECUTABLE)
  find_program(PTXLIFT_EXECUTABLE ptxlift DOC "The ptxlift command")
endif()
if(NOT PTXLIFT_EXECUTABLE)
  set(ptxlift_FOUND FALSE)
  set(ptxlift_NOT_FOUND_MESSAGE "the ptxlift command is not on PATH; set PTXLIFT_EXECUTABLE")
  return()
endif()

function(ptxlift_add_module NAME)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_DIRECTORY" "SOURCES;TARGETS;OPTIONS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "ptxlift_add_module(${NAME}): SOURCES is missing")
  endif()
  if(NOT arg_TARGETS)
    message(FATAL_ERROR "ptxlift_add_module(${NAME}): TARGETS is missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptxlift_add_module(${NAME}): unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(folder "${arg_OUTPUT_DIRECTORY}")
  if(NOT folder)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${NAME}.ptxlift")
  endif()
  set(sources "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  list(JOIN arg_TARGETS "," targets)
  set(bundle "${folder}/${NAME}.hipfb")
  set(header "${folder}/${NAME}.h")
  set(manifest "${folder}/${NAME}.json")
  add_custom_command(
    OUTPUT "${bundle}" "${header}" "${manifest}"
    COMMAND ${PTXLIFT_EXECUTABLE} lift ${sources} --together --name "${NAME}" -t "${targets}"
            --emit bundle,header -o "${folder}" --manifest "${manifest}"
            --depfile "${folder}/${NAME}.d" --quiet ${arg_OPTIONS}
    DEPENDS ${sources}
    DEPFILE "${folder}/${NAME}.d"
    COMMENT "Translating PTX: ${NAME}"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${NAME}_ptxlift ALL DEPENDS "${bundle}" "${header}" "${manifest}")
  add_library(${NAME} INTERFACE)
  add_dependencies(${NAME} ${NAME}_ptxlift)
  target_include_directories(${NAME} INTERFACE "${folder}")
  string(MAKE_C_IDENTIFIER "${NAME}" word)
  target_compile_definitions(${NAME} INTERFACE "${word}_BUNDLE=\"${bundle}\"")
  set_target_properties(${NAME} PROPERTIES
    PTXLIFT_BUNDLE "${bundle}" PTXLIFT_HEADER "${header}" PTXLIFT_MANIFEST "${manifest}")
endfunction()
