from array import array
from random import Random

from js import Object
from pyodide.ffi import to_js
from wasm_attention import attention


def tensor(numbers, *shape):
    """Numbers row by row, as a tensor of the library."""
    return to_js({"data": array("f", numbers), "shape": shape}, dict_converter=Object.fromEntries)


random = Random(1)
x = tensor([random.gauss(0, 1) for _ in range(4 * 16)], 1, 4, 16)
layer = attention.MultiHeadAttention.new(numHiddens=16, numHeads=4, seed=1)
result = layer.forward(x, x, x, isCausal=True, needWeights=True)
layer.dispose()
result.weights
