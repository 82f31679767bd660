/**
 * Llama in plain JavaScript: one token at a time, with a cache. Thousands of tokens of `story` per second in one
 * process:
 *   loops as in a textbook                                          2.5
 *   four rows of weights at a time                                  3.3
 *   eight sums at a time, in products and in attention              3.9   <- this
 * Not faster: eight rows at a time; weights as float64.
 */

/** Four rows of a matrix side by side, so that four sums share each input: (rows / 4, inputs, 4). */
function packed(tensors, rows, inputs, scale = 1) {
  const out = new Float32Array(Math.ceil(rows / 4) * 4 * inputs);
  let row = 0;
  for (const { data } of tensors) {
    for (let i = 0; i < data.length / inputs; i++, row++) {
      for (let j = 0; j < inputs; j++) {
        out[((row >> 2) * inputs + j) * 4 + (row & 3)] = data[i * inputs + j] * scale;
      }
    }
  }
  return out;
}

/** out (rows) = matrix · x, or with `add` that is added. Rows are a multiple of four, inputs of two. */
function product(matrix, x, out, rows, inputs, add) {
  let at = 0;
  for (let i = 0; i < rows; i += 4) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let t0 = 0;
    let t1 = 0;
    let t2 = 0;
    let t3 = 0;
    for (let j = 0; j < inputs; j += 2, at += 8) {
      const even = x[j];
      const odd = x[j + 1];
      s0 += matrix[at] * even;
      s1 += matrix[at + 1] * even;
      s2 += matrix[at + 2] * even;
      s3 += matrix[at + 3] * even;
      t0 += matrix[at + 4] * odd;
      t1 += matrix[at + 5] * odd;
      t2 += matrix[at + 6] * odd;
      t3 += matrix[at + 7] * odd;
    }
    out[i] = (add ? out[i] : 0) + (s0 + t0);
    out[i + 1] = (add ? out[i + 1] : 0) + (s1 + t1);
    out[i + 2] = (add ? out[i + 2] : 0) + (s2 + t2);
    out[i + 3] = (add ? out[i + 3] : 0) + (s3 + t3);
  }
}

function norm(x, weight, eps, out) {
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += x[i] * x[i];
  const scale = 1 / Math.sqrt(squares / x.length + eps);
  for (let i = 0; i < x.length; i++) out[i] = x[i] * scale * weight[i];
}

/** In place: heads of `width` in x (count), half-split, by a row (width) of cosines and sines. */
function rotate(x, count, width, table, at) {
  const half = width >> 1;
  for (let head = 0; head < count; head += width) {
    for (let j = 0; j < half; j++) {
      const a = x[head + j];
      const b = x[head + j + half];
      const cos = table[at + j];
      const sin = table[at + j + half];
      x[head + j] = a * cos - b * sin;
      x[head + j + half] = b * cos + a * sin;
    }
  }
}

/** out (heads · width) of one query, over keys and values (length, kvHeads · width), eight columns at a time. */
function attend(query, keys, values, length, { heads, kvHeads, width }, scores, out) {
  const stride = kvHeads * width;
  for (let head = 0; head < heads; head++) {
    const first = Math.floor((head * kvHeads) / heads) * width;
    for (let e = 0; e < width; e += 8) {
      const at = head * width + e;
      addScores(query, at, keys, first + e, stride, length, scores, e > 0);
    }
    const total = exponentials(scores, length);
    for (let e = 0; e < width; e += 8) mix(scores, 1 / total, values, first + e, stride, length, out, head * width + e);
  }
}

function addScores(query, from, keys, first, stride, length, scores, add) {
  const q0 = query[from];
  const q1 = query[from + 1];
  const q2 = query[from + 2];
  const q3 = query[from + 3];
  const q4 = query[from + 4];
  const q5 = query[from + 5];
  const q6 = query[from + 6];
  const q7 = query[from + 7];
  for (let t = 0, at = first; t < length; t++, at += stride) {
    const left = q0 * keys[at] + q1 * keys[at + 1] + (q2 * keys[at + 2] + q3 * keys[at + 3]);
    const right = q4 * keys[at + 4] + q5 * keys[at + 5] + (q6 * keys[at + 6] + q7 * keys[at + 7]);
    scores[t] = add ? scores[t] + (left + right) : left + right;
  }
}

function exponentials(scores, length) {
  let largest = -Infinity;
  for (let t = 0; t < length; t++) if (scores[t] > largest) largest = scores[t];
  let total = 0;
  for (let t = 0; t < length; t++) total += scores[t] = Math.exp(scores[t] - largest);
  return total;
}

function mix(weights, scale, values, first, stride, length, out, to) {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let t = 0, at = first; t < length; t++, at += stride) {
    const weight = weights[t];
    s0 += weight * values[at];
    s1 += weight * values[at + 1];
    s2 += weight * values[at + 2];
    s3 += weight * values[at + 3];
    s4 += weight * values[at + 4];
    s5 += weight * values[at + 5];
    s6 += weight * values[at + 6];
    s7 += weight * values[at + 7];
  }
  out[to] = s0 * scale;
  out[to + 1] = s1 * scale;
  out[to + 2] = s2 * scale;
  out[to + 3] = s3 * scale;
  out[to + 4] = s4 * scale;
  out[to + 5] = s5 * scale;
  out[to + 6] = s6 * scale;
  out[to + 7] = s7 * scale;
}

/** Returns `forward(token, position)`, whose logits are overwritten by the next call. */
export function llama(config, tensors) {
  const { hidden_size: d, intermediate_size: h, num_attention_heads: heads, vocab_size: vocab } = config;
  const { num_key_value_heads: kvHeads, max_position_embeddings: length, rms_norm_eps: eps } = config;
  const width = d / heads;
  const narrow = kvHeads * width;
  const sizes = { heads, kvHeads, width };
  const named = (name) => tensors[`model.${name}.weight`];
  const embedding = named('embed_tokens').data;
  const decoder = packed([named('embed_tokens')], vocab, d);
  const layers = Array.from({ length: config.num_hidden_layers }, (_, i) => {
    const of = (name) => named(`layers.${i}.${name}`);
    const some = (names, rows, inputs, scale) => packed(names.map(of), rows, inputs, scale);
    return {
      query: some(['self_attn.q_proj'], d, d, 1 / Math.sqrt(width)),
      key: some(['self_attn.k_proj'], narrow, d),
      value: some(['self_attn.v_proj'], narrow, d),
      output: some(['self_attn.o_proj'], d, d),
      gate: some(['mlp.gate_proj'], h, d),
      up: some(['mlp.up_proj'], h, d),
      down: some(['mlp.down_proj'], d, h),
      norm1: of('input_layernorm').data,
      norm2: of('post_attention_layernorm').data,
      keys: new Float64Array(length * narrow),
      values: new Float64Array(length * narrow),
    };
  });
  const finalNorm = named('norm').data;
  const angles = new Float64Array(length * width);
  for (let t = 0; t < length; t++) {
    for (let j = 0; j < width / 2; j++) {
      const angle = t * config.rope_theta ** ((-2 * j) / width);
      angles[t * width + j] = Math.cos(angle);
      angles[t * width + j + width / 2] = Math.sin(angle);
    }
  }
  const floats = (count) => new Float64Array(count);
  const [x, normed, query, mixed, key, value] = [d, d, d, d, narrow, narrow].map(floats);
  const [gate, up, scores, logits] = [h, h, length, vocab].map(floats);

  return (token, position) => {
    for (let i = 0; i < d; i++) x[i] = embedding[token * d + i];
    for (const layer of layers) {
      norm(x, layer.norm1, eps, normed);
      product(layer.query, normed, query, d, d, false);
      product(layer.key, normed, key, narrow, d, false);
      product(layer.value, normed, value, narrow, d, false);
      rotate(query, d, width, angles, position * width);
      rotate(key, narrow, width, angles, position * width);
      layer.keys.set(key, position * narrow);
      layer.values.set(value, position * narrow);
      attend(query, layer.keys, layer.values, position + 1, sizes, scores, mixed);
      product(layer.output, mixed, x, d, d, true);
      norm(x, layer.norm2, eps, normed);
      product(layer.gate, normed, gate, h, d, false);
      product(layer.up, normed, up, h, d, false);
      for (let i = 0; i < h; i++) gate[i] = (gate[i] / (1 + Math.exp(-gate[i]))) * up[i];
      product(layer.down, gate, x, d, h, true);
    }
    norm(x, finalNorm, eps, normed);
    product(decoder, normed, logits, vocab, d, false);
    return logits;
  };
}

/** The tokens that follow a first one. */
export function greedy(forward, prompt, count) {
  const tokens = new Int32Array(count);
  for (let position = 0, token = prompt; position < count; position++) {
    const logits = forward(token, position);
    token = 0;
    for (let i = 1; i < logits.length; i++) if (logits[i] > logits[token]) token = i;
    tokens[position] = token;
  }
  return tokens;
}
