
# The runtime's sources are in cameo/ here, or in that of the folder that CAMEO_SOURCES names.
set(CAMEO_SOURCES "" CACHE PATH "The folder that holds cameo/, the runtime's sources, where a model's own does not")
set(sources "${CMAKE_CURRENT_SOURCE_DIR}")
if(NOT EXISTS "${sources}/cameo/abi.h")
  set(sources "${CAMEO_SOURCES}")
endif()
if(NOT EXISTS "${sources}/cameo/abi.h")
  message(FATAL_ERROR "no runtime in ${sources}/cameo: set CAMEO_SOURCES")
endif()

# Models of one build share a runtime if they have the same version and switches of it. Any others go together in one
# program, since the namespace `cameo` of each has a name of its own in what is built here; callers see the C interface,
# which is the same for all of one interface version.
get_property(abi GLOBAL PROPERTY CAMEO_ABI)
if(abi AND NOT abi EQUAL {{abi}})
  message(FATAL_ERROR "{{name}} has interface version {{abi}}, other models ${abi}: compile all by one version of cameo")
endif()
set_property(GLOBAL PROPERTY CAMEO_ABI {{abi}})
set(runtime cameo_runtime_{{runtime_id}})
# A shared library that has a model exports what cameo/abi.h and the model's header declare, and no more.
set(visibility C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
set(definitions {{definitions}})
if(NOT TARGET ${runtime})
  file(GLOB runtime_host "${sources}/cameo/host/*.cpp")
  add_library(${runtime} STATIC ${runtime_host})
  target_include_directories(${runtime} PUBLIC "${sources}")
  target_compile_features(${runtime} PUBLIC cxx_std_17)
  target_compile_definitions(${runtime} PRIVATE ${definitions})
  target_compile_options(${runtime} PRIVATE ${options})
  set_target_properties(${runtime} PROPERTIES ${visibility})
{{#threads}}
  find_package(Threads REQUIRED)
  target_link_libraries(${runtime} PUBLIC Threads::Threads)
{{/threads}}
endif()
