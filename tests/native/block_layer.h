// A transformer block with its parameters, for tests of its forward and backward pass.
#pragma once

#include <cmath>
#include <vector>

#include "attention.h"
#include "linear_layers.h"
#include "random.h"

namespace wasm_attention {

constexpr int kBlockParameters = sizeof(BlockParameters) / sizeof(float*);

struct BlockCase {
  bool preNorm = false;
  float dropout = 0;
  bool bias = true;
  int rotary = 0;  // the rotated part of a head's width
  int batch = 2, tokens = 3, heads = 2, headWidth = 4, hidden = 6;
  int kvHeads = 2, width = 8;
  bool gated = false, rms = false, headNorms = false;
  int memory = 0;  // tokens; 0: no cross-attention
  bool causal = false, interleaved = false;
  Activation activation = Activation::kGelu;
  std::vector<int32_t> validLens{};  // of self-attention, one per sequence; empty: all keys are valid
};

/// Both passes, in memory of exactly the right size, filled with NaN.
class BlockLayer {
 public:
  explicit BlockLayer(const BlockCase& c) : c_(c) {
    const size_t width = c.width, queries = c.heads * c.headWidth, joined = queries + 2 * c.kvHeads * c.headWidth;
    const size_t hidden = c.hidden, inner = (c.gated ? 2 : 1) * hidden;
    const auto add = [&](size_t size, bool present) {
      parameters.push_back(present ? randomFloats(size, 10 + static_cast<unsigned>(parameters.size()), 0.7f)
                                   : Floats());
    };
    for (const bool cross : {false, true}) {
      const bool present = !cross || c.memory > 0;
      add(joined * width, present);
      add(joined, present && c.bias);
      add(width * queries, present);
      add(width, present && c.bias);
      for (int i = 0; i < 2; ++i) add(c.headWidth, !cross && c.headNorms);
    }
    add(inner * width, true);
    add(inner, c.bias);
    add(width * hidden, true);
    add(width, c.bias);
    for (int norm = 0; norm < 3; ++norm) {
      const bool present = norm != 1 || c.memory > 0;
      add(width, present);
      add(width, present && !c.rms);
    }
    table = randomFloats(size_t(c.tokens) * c.rotary, 40);
    memory = randomFloats(size_t(c.batch) * c.memory * width, 41);
  }

  /// Runs both passes; returns the gradients of x, of the memory and of the parameters.
  std::vector<Floats> backward(const Floats& x, const Floats& g) {
    TransformerBlockGradArgs grads{};
    grads.block = pass(x);
    grads.block.output = nullptr;
    std::vector<Floats> found{g, Floats(memory.size(), NAN)};
    for (const Floats& p : parameters) found.push_back(Floats(p.size()));
    grads.gradient = found[0].data();
    grads.gradMemory = dataOrNull(found[1]);
    for (int i = 0; i < kBlockParameters; ++i) pointers(grads.gradients)[i] = dataOrNull(found[i + 2]);
    Floats scratch(transformerBlockBackwardScratch(grads), NAN);
    transformerBlockBackward(grads, scratch.data());
    return found;
  }

  const Floats& forward(const Floats& x) {
    pass(x);
    return output_;
  }

  std::vector<Floats> parameters;
  Floats memory;
  Floats table;  // (tokens, rotary): sines, then cosines

 private:
  static float** pointers(BlockParameters& p) { return &p.self.inWeight; }

  const float* pack(const Floats& weight, size_t from, int inputs, int outputs) {
    const auto first = weight.begin() + from;
    packed_.push_back(packedOf(Floats(first, first + size_t(inputs) * outputs), inputs, outputs));
    return packed_.back().data();
  }

  BlockAttentionArgs attention(int keys) const {
    BlockAttentionArgs args{};
    AttentionArgs& a = args.attention;
    a.batch = c_.batch;
    a.heads = c_.heads;
    a.kvHeads = c_.kvHeads;
    a.queries = c_.tokens;
    a.keys = keys;
    a.width = a.valueWidth = c_.headWidth;
    a.windowLeft = a.windowRight = -1;
    a.scale = 1 / std::sqrt(static_cast<float>(c_.headWidth));
    a.seed = 9;
    a.dropout = c_.dropout;
    return args;
  }

  TransformerBlockArgs pass(const Floats& x) {
    TransformerBlockArgs args{};
    args.self = attention(c_.tokens);
    if (c_.causal) args.self.attention.windowRight = 0;
    if (!c_.validLens.empty()) {
      args.self.attention.validLens = c_.validLens.data();
      args.self.attention.validBatch = 1;
    }
    if (c_.rotary > 0) args.self.rotation = {table.data(), 0, table.data(), 0, c_.rotary, c_.interleaved};
    for (int i = 0; i < kBlockParameters; ++i) pointers(args.parameters)[i] = dataOrNull(parameters[i]);
    const int width = c_.width, queries = c_.heads * c_.headWidth, keys = 2 * c_.kvHeads * c_.headWidth;
    packed_.clear();
    args.self.packedIn = pack(parameters[0], 0, width, queries + keys);
    args.self.packedOut = pack(parameters[2], 0, queries, width);
    if (c_.memory > 0) {
      args.cross = attention(c_.memory);
      args.cross.packedIn = pack(parameters[6], 0, width, queries);
      args.cross.packedMemory = pack(parameters[6], size_t(queries) * width, width, keys);
      args.cross.packedOut = pack(parameters[8], 0, queries, width);
      args.memory = memory.data();
    }
    args.packed1 = pack(parameters[12], 0, width, (c_.gated ? 2 : 1) * c_.hidden);
    args.packed2 = pack(parameters[14], 0, c_.hidden, width);
    args.width = width;
    args.hiddenWidth = c_.hidden;
    args.gated = c_.gated;
    args.activation = c_.activation;
    args.norm = c_.rms ? Norm::kRms : Norm::kLayer;
    args.preNorm = c_.preNorm;
    args.eps = 1e-5f;
    args.headEps = 1e-3f;
    Floats scratch(transformerBlockScratch(args), NAN);
    kept_.assign(transformerBlockKept(args), NAN);
    output_.assign(x.size(), NAN);
    std::copy(x.begin(), x.end(), kept_.begin());
    args.kept = kept_.data();
    args.output = output_.data();
    transformerBlock(args, scratch.data());
    return args;
  }

  BlockCase c_;
  Floats kept_, output_;
  std::vector<Floats> packed_;
};

/// Cases with every setting at least once.
inline std::vector<BlockCase> blockCases() {
  const BlockCase plain{};
  std::vector<BlockCase> cases(8, plain);
  cases[1].preNorm = true;
  cases[1].rotary = cases[2].rotary = 4;
  cases[2].dropout = 0.4f;
  cases[3] = {true, 0.4f, false};
  // As in language models.
  cases[4] = {true, 0, false, 4, 2, 3, 4, 4, 5, 2, 6, true, true, true};
  cases[5] = {false, 0.4f, true, 4, 2, 3, 2, 4, 5, 1, 6, true, true, true};
  cases[4].activation = cases[5].activation = Activation::kSilu;
  // Decoders.
  cases[6].memory = 5;
  cases[7] = {true, 0.4f, true, 4, 2, 3, 2, 4, 6, 2, 8, false, false, false, 2};
  return cases;
}

}  // namespace wasm_attention
