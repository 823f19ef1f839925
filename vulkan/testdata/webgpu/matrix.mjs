// 256 matrices by vectors, in Deno or Node, against the npm package wgpu-matrix on the processor.
import { mat4, vec3 } from "wgpu-matrix";

const dawn = globalThis.Deno ? null : await import("webgpu");
if (dawn) Object.assign(globalThis, dawn.globals);
const gpu = dawn ? dawn.create(["backend=vulkan"]) : navigator.gpu;
const device = await (await gpu.requestAdapter()).requestDevice();

const n = 256;
const matrices = new Float32Array(16 * n);
const vectors = new Float32Array(4 * n);
const want = new Float32Array(4 * n);
for (let i = 0; i < n; i++) {
  const m = mat4.rotateX(mat4.translation([i, 1, 2]), i * 0.1);
  const v = [i % 5, i % 7, i % 3];
  matrices.set(m, 16 * i);
  vectors.set([...v, 1], 4 * i);
  want.set([...vec3.transformMat4(v, m), 1], 4 * i);
}

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const buffers = [matrices, vectors, new Float32Array(4 * n)].map((data) => {
  const b = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
  device.queue.writeBuffer(b, 0, data);
  return b;
});
const module = device.createShaderModule({
  code: `
@group(0) @binding(0) var<storage, read> m: array<mat4x4f>;
@group(0) @binding(1) var<storage, read> v: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {
  result[i.x] = m[i.x] * v[i.x];
}`,
});
const pipeline = device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
});
const back = device.createBuffer({ size: 16 * n, usage: COPY_DST | MAP_READ });
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(n / 64);
pass.end();
encoder.copyBufferToBuffer(buffers[2], 0, back, 0, 16 * n);
device.queue.submit([encoder.finish()]);

await back.mapAsync(GPUMapMode.READ);
const got = new Float32Array(back.getMappedRange().slice(0));
const worst = got.reduce((most, x, i) => Math.max(most, Math.abs(x - want[i])), 0);
console.log("largest difference", worst);
(globalThis.Deno ?? process).exit(worst < 1e-5 ? 0 : 1);
