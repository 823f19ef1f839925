// ONNX Runtime Web on Dawn (npm: webgpu, onnxruntime-web): a product, a sum and a softmax of a model that is written here, against plain loops. Run it
// with node's flags --no-wasm-tier-up --no-wasm-dynamic-tiering: else node waits, with nothing else to do and at its end, for threads that
// compile 25 MB of WebAssembly anew.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);
const gpu = create(["backend=vulkan"]);
Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node", hardwareConcurrency: 1 }, configurable: true });
globalThis.self ??= globalThis;
// Dawn for Node takes no view of shared memory, which the runtime's WebAssembly has.
const write = GPUQueue.prototype.writeBuffer;
GPUQueue.prototype.writeBuffer = function (buffer, at, data, from = 0, count = data.length - from) {
  return write.call(this, buffer, at, data.slice ? new Uint8Array(data.slice(from, from + count)) : data);
};

const main = import.meta.resolve("onnxruntime-web/webgpu");
const ort = await import(main);
Object.assign(ort.env.wasm, { numThreads: 1, wasmPaths: dirname(fileURLToPath(main)) + "/" });

// Protocol buffers by hand: numbers, texts and messages with their fields' numbers.
const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(Math.floor(n / 128))]);
const number = (field, n) => [...varint(field * 8), ...varint(n)];
const message = (field, bytes) => [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
const string = (field, text) => message(field, [...new TextEncoder().encode(text)]);
const node = (type, inputs, outputs) => message(1, [...inputs.flatMap((name) => string(1, name)), ...outputs.flatMap((name) => string(2, name)), ...string(4, type)]);
const shape = (sizes) => message(2, sizes.flatMap((size) => message(1, number(1, size))));
const value = (field, name, sizes) => message(field, [...string(1, name), ...message(2, message(1, [...number(1, 1), ...shape(sizes)]))]);
const constant = (name, sizes, data) =>
  message(5, [...sizes.flatMap((size) => number(1, size)), ...number(2, 1), ...string(8, name), ...message(9, [...new Uint8Array(data.buffer)])]);

const [rows, inner, columns] = [8, 16, 4];
const x = Float32Array.from({ length: rows * inner }, (_, i) => Math.cos(i * 0.3));
const w = Float32Array.from({ length: inner * columns }, (_, i) => Math.sin(i));
const b = Float32Array.from({ length: columns }, (_, i) => i);
const graph = [
  ...node("MatMul", ["x", "w"], ["product"]), ...node("Add", ["product", "b"], ["sum"]), ...node("Softmax", ["sum"], ["y"]), ...string(2, "graph"),
  ...constant("w", [inner, columns], w), ...constant("b", [columns], b), ...value(11, "x", [rows, inner]), ...value(12, "y", [rows, columns]),
];
const model = new Uint8Array([...number(1, 8), ...message(7, graph), ...message(8, number(2, 13))]);
const session = await ort.InferenceSession.create(model, { executionProviders: ["webgpu"] });
const y = (await session.run({ x: new ort.Tensor("float32", x, [rows, inner]) })).y.data;

let worst = 0;
for (let i = 0; i < rows; i++) {
  const sums = Array.from(b, (sum, j) => {
    for (let k = 0; k < inner; k++) sum += x[i * inner + k] * w[k * columns + j];
    return Math.exp(sum);
  });
  const all = sums.reduce((s, e) => s + e);
  sums.forEach((e, j) => (worst = Math.max(worst, Math.abs(e / all - y[i * columns + j]))));
}
console.log("largest difference", worst);
process.exit(worst < 1e-5 ? 0 : 1);
