#include <algorithm>

#include "attention.h"
#include "layers/activation.h"

namespace wasm_attention {

void feedForward(const float* x, const float* packed1, const float* bias1, const float* packed2, const float* bias2,
                 float* hidden, float* activated, float* out, int rows, int width, int hidden_width,
                 Activation activation) {
  linear(x, packed1, bias1, hidden, rows, width, hidden_width);
  activate(hidden, activated, static_cast<size_t>(rows) * hidden_width, activation);
  linear(activated, packed2, bias2, out, rows, hidden_width, width);
}

size_t feedForwardBackwardScratch(int rows, int width, int hidden_width) {
  return 2 * static_cast<size_t>(rows) * hidden_width +
         std::max(linearBackwardScratch(rows, width, hidden_width), linearBackwardScratch(rows, hidden_width, width));
}

void feedForwardBackward(const float* grad_out, const float* x, const float* hidden, const float* weight1,
                         const float* weight2, float* scratch, float* grad_x, float* grad_weight1, float* grad_bias1,
                         float* grad_weight2, float* grad_bias2, int rows, int width, int hidden_width,
                         Activation activation) {
  const size_t count = static_cast<size_t>(rows) * hidden_width;
  float* const activated = scratch;
  float* const grad_hidden = activated + count;
  float* const rest = grad_hidden + count;
  activate(hidden, activated, count, activation);
  linearBackward(grad_out, activated, weight2, rest, grad_hidden, grad_weight2, grad_bias2, rows, hidden_width, width);
  activateBackward(hidden, grad_hidden, count, activation);
  linearBackward(grad_hidden, x, weight1, rest, grad_x, grad_weight1, grad_bias1, rows, width, hidden_width);
}

}  // namespace wasm_attention
