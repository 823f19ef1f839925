// TensorFlow.js on Dawn (npm: webgpu, @tensorflow/tfjs-core, @tensorflow/tfjs-backend-webgpu): operators against plain loops.
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);
const gpu = create(["backend=vulkan"]);
Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node" }, configurable: true });
// What the package asks of a browser when it is loaded.
globalThis.self ??= globalThis;
globalThis.document ??= { createElement: () => ({ getContext: () => null, style: {} }) };

const tf = await import("@tensorflow/tfjs-core");
await import("@tensorflow/tfjs-backend-webgpu");
await tf.setBackend("webgpu");
await tf.ready();

let worst = 0;
const compare = (got, want) => (worst = Math.max(worst, Math.abs(got - want)));

const [rows, inner, columns] = [64, 48, 32];
const A = tf.randomUniform([rows, inner], -1, 1, "float32", 7);
const B = tf.randomUniform([inner, columns], -1, 1, "float32", 8);
const a = await A.data();
const b = await B.data();
const product = await tf.matMul(A, B).data();
for (let i = 0; i < rows; i++) {
  for (let j = 0; j < columns; j++) {
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * columns + j];
    compare(product[i * columns + j], sum);
  }
}

const softmax = await tf.softmax(A).data();
compare(softmax.slice(0, inner).reduce((s, x) => s + x), 1);
compare((await tf.mean(A).data())[0], a.reduce((s, x) => s + x) / a.length);

const [size, channels, filters, width] = [16, 3, 8, 3];
const X = tf.randomUniform([1, size, size, channels], -1, 1, "float32", 3);
const W = tf.randomUniform([width, width, channels, filters], -1, 1, "float32", 4);
const convolution = await tf.conv2d(X, W, 1, "valid").data();
const x = await X.data();
const w = await W.data();
const out = size - width + 1;
for (let i = 0; i < out * out * filters; i++) {
  const [filter, place] = [i % filters, Math.floor(i / filters)];
  const [row, column] = [Math.floor(place / out), place % out];
  let sum = 0;
  for (let p = 0; p < width; p++) {
    for (let q = 0; q < width; q++) {
      for (let c = 0; c < channels; c++) {
        sum += x[((row + p) * size + column + q) * channels + c] * w[((p * width + q) * channels + c) * filters + filter];
      }
    }
  }
  compare(convolution[i], sum);
}
console.log(tf.getBackend(), "largest difference", worst);
process.exit(worst < 1e-5 ? 0 : 1);
