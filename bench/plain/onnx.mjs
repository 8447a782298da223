// ONNX models of a few nodes, as bytes: what onnxruntime-web is asked to run. Protocol Buffers by hand, with only the fields
// that such models need (onnx.proto3, IR version 8).

/** Opset of the operators, and versions that go with it. */
const [OPSET, IR] = [17, 8];
const FLOAT = 1;

/**
 * A model. `inputs` and `outputs`: shapes by name, of 32-bit floats; `nodes`: { op, inputs, outputs, attributes }, attributes
 * being integers.
 */
export function onnxModel({ inputs, outputs, nodes }) {
  const graph = [
    ...nodes.map((node) => message(1, nodeOf(node))),
    text(2, 'g'),
    ...Object.entries(inputs).map((port) => message(11, valueInfo(port))),
    ...Object.entries(outputs).map((port) => message(12, valueInfo(port))),
  ];
  const opset = message(8, [text(1, ''), integer(2, OPSET)]);
  return Uint8Array.from([integer(1, IR), message(7, graph), opset].flat());
}

function nodeOf({ op, inputs, outputs, attributes = {} }) {
  return [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    // 2: an integer.
    ...Object.entries(attributes).map(([name, value]) =>
      message(5, [text(1, name), integer(3, value), integer(20, 2)]),
    ),
  ];
}

function valueInfo([name, shape]) {
  const dimensions = message(
    2,
    shape.map((size) => message(1, [integer(1, size)])),
  );
  return [text(1, name), message(2, [message(1, [integer(1, FLOAT), dimensions])])];
}

/** A field that holds a number. */
function integer(field, value) {
  return [...varint(field << 3), ...varint(value)];
}

/** A field that holds bytes behind their length. */
function bytes(field, content) {
  return [...varint((field << 3) | 2), ...varint(content.length), ...content];
}

function text(field, value) {
  return bytes(field, [...new TextEncoder().encode(value)]);
}

function message(field, fields) {
  return bytes(field, fields.flat());
}

function varint(value) {
  const out = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) out.push((value % 0x80) | 0x80);
  return [...out, value];
}
