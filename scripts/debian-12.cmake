# Compiles with Emscripten 3.1.6, which is too old for relaxed SIMD: a newer clang and linker replace its driver and use
# its headers and libraries. Definitions, include path and most options are the driver's.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-unknown-emscripten)
execute_process(COMMAND em-config CACHE OUTPUT_VARIABLE cache OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_SYSROOT ${cache}/sysroot)
# Without loop strength reduction the wasm is 8 % smaller.
set(CMAKE_CXX_FLAGS_INIT
    "-D_LIBCPP_ABI_VERSION=2 -isystem ${CMAKE_SYSROOT}/include/compat -fno-threadsafe-statics -mllvm -disable-lsr")
# CMake's compiler checks need no start-up code this way.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib \
-Wl,-O3,--strip-all,--compress-relocations,--no-entry,--stack-first,--allow-undefined,--export=_initialize,--export-table \
-L${CMAKE_SYSROOT}/lib/wasm32-emscripten")
set(CMAKE_CXX_STANDARD_LIBRARIES "${CMAKE_SYSROOT}/lib/wasm32-emscripten/crt1_reactor.o \
-lc++-noexcept -lc++abi-noexcept -lstandalonewasm-memgrow -lc -ldlmalloc -lcompiler_rt")
