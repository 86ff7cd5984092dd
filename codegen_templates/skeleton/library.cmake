{{#external}}
# What computes the operators of {{name}}_external.h: sources that are named here, or what else links with {{name}}.
set(external {{name}}_EXTERNAL)
set(${external} "" CACHE STRING "Sources that define the functions of {{name}}_external.h")
if(${external})
  target_sources({{name}} PRIVATE ${${external}})
endif()
{{/external}}
set_target_properties({{name}} PROPERTIES CAMEO_RUNTIME ${runtime})
{{#weights_assembly}}
set_source_files_properties({{name}}_weights.S PROPERTIES
  OBJECT_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/{{name}}_weights.bin")
{{/weights_assembly}}
{{#weights_file}}
# The file that belongs beside the program.
set_target_properties({{name}} PROPERTIES CAMEO_WEIGHTS "${CMAKE_CURRENT_SOURCE_DIR}/{{name}}_weights.bin")
{{/weights_file}}
{{#program}}

if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  add_executable({{name}}_main {{name}}_main.cpp)
  set_target_properties({{name}}_main PROPERTIES OUTPUT_NAME {{name}})
  target_link_libraries({{name}}_main PRIVATE {{name}})
{{#weights_file}}
  add_custom_command(TARGET {{name}}_main POST_BUILD COMMAND "${CMAKE_COMMAND}" -E copy_if_different
    "${CMAKE_CURRENT_SOURCE_DIR}/{{name}}_weights.bin" "$<TARGET_FILE_DIR:{{name}}_main>")
{{/weights_file}}
endif()
{{/program}}
