// Exports of the module for several threads: functions for its caller and for the instances in its workers.
#include <emscripten/bind.h>

#include "kernels/pool.h"

/// Run by a worker after it has set the stack pointer.
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
