# A folder is a library is a namespace. Sources are all the *.cc files of the folder.

find_program(QUADRILLE_CCACHE ccache)
if(QUADRILLE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QUADRILLE_CCACHE})
endif()
find_program(QUADRILLE_MOLD mold)
if(QUADRILLE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(QUADRILLE_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize=")
option(QUADRILLE_FUZZ "instrument for libFuzzer, and make the fuzzers (clang only)" OFF)

add_library(quadrille_options INTERFACE)
target_include_directories(quadrille_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(quadrille_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
# clang sees a deprecated name in the standard library's own stable_sort. Ours are g++'s to find.
target_compile_options(quadrille_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(QUADRILLE_FUZZ)
  target_compile_options(quadrille_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(QUADRILLE_SANITIZE)
  target_compile_options(quadrille_options INTERFACE -fsanitize=${QUADRILLE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  # g++ 12 sees uninitialised reads in the standard library's own <regex> once it is instrumented.
  target_compile_options(quadrille_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(quadrille_options INTERFACE -fsanitize=${QUADRILLE_SANITIZE})
  # The standard library checks its callers too: indices, empty optionals, fronts of what is empty.
  target_compile_definitions(quadrille_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# quadrille_room(engine/store DEPENDS quadrille_engine_model lmdb)
# makes the library quadrille_engine_store of this folder's *.cc files (main.cc is left to a program).
function(quadrille_room path)
  cmake_parse_arguments(ROOM "" "" "DEPENDS" ${ARGN})
  string(REPLACE "/" "_" name quadrille_${path})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC quadrille_options ${ROOM_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE quadrille_options ${ROOM_DEPENDS})
  endif()
endfunction()

# quadrille_program(quadrille cli/main.cc DEPENDS quadrille_replica_cli)
# makes a program that people run. Its memory comes from mimalloc, whose threads do not wait for each other, unless a
# sanitizer wants to see every allocation.
function(quadrille_program name source)
  cmake_parse_arguments(PROGRAM "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${PROGRAM_DEPENDS})
  if(NOT QUADRILLE_SANITIZE)
    target_link_libraries(${name} PRIVATE mimalloc)
  endif()
endfunction()

# quadrille_test(engine/store DEPENDS quadrille_engine_store)
# makes one test program of tests/engine/store/*_test.cc; every TEST_CASE is a test of ctest.
function(quadrille_test path)
  cmake_parse_arguments(TEST "" "" "DEPENDS" ${ARGN})
  string(REPLACE "/" "_" name test_${path})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${path}/*.cc)
  if(sources)
    add_executable(${name} ${sources})
    target_compile_options(${name} PRIVATE -O0 -g0)  # the tests' own code; what they test is as the preset has it
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
    target_link_libraries(${name} PRIVATE quadrille_test_main ${TEST_DEPENDS})
    catch_discover_tests(${name} TEST_PREFIX "${path}: " PROPERTIES TIMEOUT 600)
  endif()
endfunction()
