import { zeros, type Numbers, type Reference } from './tensor.js';

/** The mean of -log softmax(logits)[target] over the rows whose target is not `ignoreIndex`, and its gradient. */
export function softmaxCrossEntropy(
  logits: Numbers,
  targets: readonly number[],
  ignoreIndex: number,
): { loss: number; gradLogits: Reference } {
  const [rows, classes] = logits.shape as [number, number];
  const counted = targets.filter((target) => target !== ignoreIndex).length;
  const gradLogits = zeros(rows, classes);
  let loss = 0;
  targets.forEach((target, r) => {
    if (target === ignoreIndex) return;
    const row = Array.from({ length: classes }, (_, c) => logits.data[r * classes + c]!);
    const largest = Math.max(...row);
    const total = row.reduce((sum, x) => sum + Math.exp(x - largest), 0);
    loss += Math.log(total) + largest - row[target]!;
    row.forEach((x, c) => {
      gradLogits.data[r * classes + c] = (Math.exp(x - largest) / total - (c === target ? 1 : 0)) / counted;
    });
  });
  return { loss: loss / counted, gradLogits };
}
