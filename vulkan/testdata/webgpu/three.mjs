// A compute node of three.js on Dawn (npm: webgpu, three): 1,024 sines against JavaScript's.
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);
const gpu = create(["backend=vulkan"]);
Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node" }, configurable: true });
// What the package asks of a browser when it is loaded.
globalThis.self ??= globalThis;
globalThis.window ??= globalThis;
globalThis.requestAnimationFrame = (f) => setTimeout(f, 16);
globalThis.cancelAnimationFrame = clearTimeout;

const { WebGPURenderer } = await import("three/webgpu");
const { Fn, instancedArray, instanceIndex, float, sin } = await import("three/tsl");
const context = { configure() {}, unconfigure() {}, getCurrentTexture: () => { throw new Error("nothing is drawn"); } };
const canvas = { width: 16, height: 16, style: {}, addEventListener() {}, removeEventListener() {}, setAttribute() {}, getContext: () => context };
const renderer = new WebGPURenderer({ canvas });
await renderer.init();

const n = 1024;
const out = instancedArray(n, "float");
const node = Fn(() => {
  const i = float(instanceIndex);
  out.element(instanceIndex).assign(sin(i.mul(0.01)).mul(i));
})().compute(n);
await renderer.computeAsync(node);
const got = new Float32Array(await renderer.getArrayBufferAsync(out.value));
const worst = got.reduce((most, x, i) => Math.max(most, Math.abs(x - Math.sin(i * 0.01) * i)), 0);
console.log("largest difference", worst, "of", n);
process.exit(worst < 1e-3 ? 0 : 1);
