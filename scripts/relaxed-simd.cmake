# WebAssembly with relaxed SIMD: a newer clang and its linker, with Emscripten's headers and libraries but without its driver,
# whose Binaryen (108 in Debian 12) does not know these instructions.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(RELAXED_SIMD ON)

find_program(RELAXED_SIMD_CXX clang++-19 REQUIRED)
find_program(RELAXED_SIMD_LD wasm-ld-19 REQUIRED)
execute_process(COMMAND em-config CACHE OUTPUT_VARIABLE emscripten_cache OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_CXX_COMPILER ${RELAXED_SIMD_CXX})
set(CMAKE_CXX_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_SYSROOT ${emscripten_cache}/sysroot)
# Its try-outs need no start-up code that way.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CXX_LINK_EXECUTABLE "${RELAXED_SIMD_LD} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
