# The libraries of others, each found once, here.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(CapnProto REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Catch2 REQUIRED)
include(Catch)
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(RAPTOR IMPORTED_TARGET raptor2) # optional: without it RDF/XML is not read
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4-c++) # as C++: its errors are exceptions, which run destructors
find_package(ZLIB REQUIRED)
find_package(mimalloc REQUIRED)
find_package(benchmark REQUIRED) # bench: rows a second
find_package(EXPAT REQUIRED) # SPARQL answers in XML

# Header-only libraries without a CMake package; system headers, so that their warnings are not ours.
add_library(quadrille_asio INTERFACE)
target_compile_definitions(quadrille_asio INTERFACE ASIO_STANDALONE)
target_link_libraries(quadrille_asio INTERFACE Threads::Threads)

add_library(quadrille_capnp INTERFACE)
target_link_libraries(quadrille_capnp INTERFACE CapnProto::capnp-rpc)
# kj::Own knows how to dispose of what it owns: kj's interfaces have no virtual destructors, on purpose.
target_compile_options(quadrille_capnp INTERFACE -Wno-non-virtual-dtor)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(Boost 1.74 REQUIRED) # headers: Multiprecision
find_library(QUADRILLE_HTTP_PARSER http_parser REQUIRED) 
