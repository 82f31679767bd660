#include <algorithm>
#include <cmath>

#include "attention.h"
#include "kernels/softmax_row.h"

namespace wasm_attention {

double softmaxCrossEntropy(const float* logits, const int32_t* targets, float* grad_logits, int rows, int classes) {
  int counted = 0;
  for (int row = 0; row < rows; ++row) counted += targets[row] >= 0;
  double loss = 0;
  for (int row = 0; row < rows; ++row, logits += classes, grad_logits += classes) {
    const int target = targets[row];
    if (target < 0) {
      std::fill(grad_logits, grad_logits + classes, 0.0f);
      continue;
    }
    const float most = largest(logits, classes);
    const double below =
        static_cast<double>(most) - logits[target];  // read now, because the gradient may overwrite the logit
    const float total = exponentials(logits, most, grad_logits, classes);
    loss += static_cast<double>(std::log(total)) + below;
    scaleRow(grad_logits, classes, 1.0f / (total * static_cast<float>(counted)));
    grad_logits[target] -= 1.0f / static_cast<float>(counted);
  }
  return loss / counted;
}

}  // namespace wasm_attention
