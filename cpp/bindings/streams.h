#pragma once

namespace wasm_attention {

/// Whether a function asks for its inputs and offers its output while threads are at work (kernels/stream.h). What does not finds
/// its inputs there.
enum class Streams { kNo, kYes };

}  // namespace wasm_attention
