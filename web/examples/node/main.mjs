// Trains a layer to copy the first token to every position.
import { load } from 'wasm-attention';

const attention = await load();
const [batch, length, width] = [16, 6, 16];
const layer = new attention.MultiHeadAttention({ numHiddens: width, numHeads: 4, seed: 1 });
const adam = new attention.Adam(layer.parameters(), { lr: 0.01 });

const positions = attention.sinusoidalEncoding({ length, dim: width }).data;
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;

for (let step = 0; step <= 300; ++step) {
  const x = attention.tensor(Float32Array.from({ length: batch * length * width }, random), [batch, length, width]);
  const wanted = (i) => x.data[Math.floor(i / (length * width)) * length * width + (i % width)];
  const tokens = { ...x, data: x.data.map((value, i) => value + positions[i % positions.length]) };
  const { output, backward } = layer.forward(tokens, tokens, tokens, { training: true });
  const error = output.data.map((value, i) => value - wanted(i));
  if (step % 100 === 0) {
    const loss = error.reduce((sum, e) => sum + e * e, 0) / error.length;
    console.log(`step ${step}: loss ${loss.toFixed(4)}`);
  }
  adam.zeroGrad();
  backward({ data: error.map((e) => (2 * e) / error.length), shape: output.shape });
  adam.step();
}
