// What the module on several threads has besides: for its caller, and for the instances of its threads.
#include <emscripten/bind.h>

#include "kernels/pool.h"

/// The life of a thread, whose stack is set before.
extern "C" [[gnu::used, clang::export_name("serveThread")]] void serveThread(int thread) {
  wasm_attention::serveThread(thread);
}
extern "C" [[gnu::used, clang::export_name("reportDeath")]] void reportDeath() { wasm_attention::reportDeath(); }
/// For tests.
extern "C" [[gnu::used, clang::export_name("setWorthThreads")]] void setWorthThreads(double work) {
  wasm_attention::setWorthThreads(work);
}

EMSCRIPTEN_BINDINGS(threads) {
  emscripten::function("setThreadCount", &wasm_attention::setThreadCount);
  emscripten::function("threadsFailed", &wasm_attention::threadsFailed);
}
