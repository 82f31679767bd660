/** Writes ONNX's ModelProto as far as the benchmark's graphs need it, in protobuf's wire format. */

const bytesOf = (text) => new TextEncoder().encode(text);

/** Base-128, least significant group first; negative numbers as 64-bit two's complement. */
function varint(value) {
  const out = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const group = Number(rest & 127n);
    rest >>= 7n;
    out.push(rest ? group | 128 : group);
  } while (rest);
  return Uint8Array.from(out);
}

function join(parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const integer = (field, value) => join([varint(field << 3), varint(value)]);
const float = (field, value) => join([varint((field << 3) | 5), new Uint8Array(Float32Array.of(value).buffer)]);
const block = (field, bytes) => join([varint((field << 3) | 2), varint(bytes.length), bytes]);
const text = (field, value) => block(field, bytesOf(value));
const message = (field, ...parts) => block(field, join(parts));

const elementType = new Map([
  [Float32Array, 1],
  [Uint8Array, 2],
  [Int8Array, 3],
  [Int32Array, 6],
  [BigInt64Array, 7],
]);

/** TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9. */
function tensor(name, data, dims) {
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return join([
    ...dims.map((dim) => integer(1, dim)),
    integer(2, elementType.get(data.constructor)),
    text(8, name),
    block(9, raw),
  ]);
}

/** AttributeProto: name = 1, f = 2, i = 3, s = 4, ints = 8, type = 20. A number becomes an int, `{ float }` a float. */
function attribute(name, value) {
  if (typeof value === 'string') return join([text(1, name), text(4, value), integer(20, 3)]);
  if (Array.isArray(value)) return join([text(1, name), ...value.map((v) => integer(8, v)), integer(20, 7)]);
  if (typeof value === 'object') return join([text(1, name), float(2, value.float), integer(20, 1)]);
  return join([text(1, name), integer(3, value), integer(20, 2)]);
}

/** NodeProto: input = 1, output = 2, op_type = 4, attribute = 5, domain = 7. */
function node({ op, inputs, outputs, attributes = {}, domain }) {
  return join([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => block(5, attribute(name, value))),
    ...(domain ? [text(7, domain)] : []),
  ]);
}

/**
 * ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1, shape = 2 { dim = 1 { dim_value = 1, or
 * dim_param = 2, a name for a size that differs between runs } } } }.
 */
function value(name, dims, Type = Float32Array) {
  const size = (dim) => (typeof dim === 'string' ? text(2, dim) : integer(1, dim));
  const shape = message(2, ...dims.map((dim) => message(1, size(dim))));
  return join([text(1, name), message(2, message(1, integer(1, elementType.get(Type)), shape))]);
}

/**
 * A graph under construction. Tensors are names; every method that adds a node returns the name of its (first) output.
 */
export class Graph {
  #nodes = [];
  #initializers = [];
  #inputs = [];
  #outputs = [];
  #count = 0;

  input(name, dims, Type) {
    this.#inputs.push(block(11, value(name, dims, Type)));
    return name;
  }

  output(name, dims) {
    this.#outputs.push(block(12, value(name, dims)));
    return name;
  }

  constant(data, dims) {
    const name = `constant${this.#count++}`;
    this.#initializers.push(block(5, tensor(name, data, dims)));
    return name;
  }

  /** The name of a further output of a node, which is added with `outputs`. */
  name(op) {
    return `${op}${this.#count++}`;
  }

  /** `outputs`: the outputs' names, if they matter; an empty string leaves out an optional output. */
  add(op, inputs, attributes = {}, { domain, outputs = [`${op}${this.#count++}`] } = {}) {
    this.#nodes.push(block(1, node({ op, inputs, outputs, attributes, domain })));
    return outputs[0];
  }

  reshape(x, dims) {
    return this.add('Reshape', [x, shapeOf(this, dims)]);
  }

  transpose(x, perm) {
    return this.add('Transpose', [x], { perm });
  }

  /** ModelProto: ir_version = 1, graph = 7, opset_import = 8 { domain = 1, version = 2 }. */
  bytes({ opset = 23 } = {}) {
    return join([
      integer(1, 10),
      message(7, ...this.#nodes, text(2, 'bench'), ...this.#initializers, ...this.#inputs, ...this.#outputs),
      message(8, text(1, ''), integer(2, opset)),
      message(8, text(1, 'com.microsoft'), integer(2, 1)),
    ]);
  }
}

/** A list of sizes as the constant that nodes like Reshape expect. */
export const shapeOf = (graph, dims) => graph.constant(BigInt64Array.from(dims, BigInt), [dims.length]);
