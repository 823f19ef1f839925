// A product of matrices and a sum by workgroups through WebGPU, checked against the same in JavaScript: in Deno (wgpu), or in Node with the
// package webgpu (Dawn). Each prints a line: ok, or FAIL with what was found.

const gpu = await implementation();

async function implementation() {
	if (globalThis.Deno) return navigator.gpu;
	const dawn = await import("webgpu");
	Object.assign(globalThis, dawn.globals);
	return dawn.create(["backend=vulkan"]);
}

const adapter = await gpu.requestAdapter();
if (!adapter) {
	console.log("FAIL adapter: there is none");
	exit(1);
}
console.log(`# ${adapter.info.vendor} ${adapter.info.device} ${adapter.info.description}`);
const device = await adapter.requestDevice();
device.addEventListener?.("uncapturederror", (e) => console.log(`FAIL ${e.error.message}`));

function exit(status) {
	globalThis.Deno ? Deno.exit(status) : process.exit(status);
}

function bufferOf(data, usage) {
	const made = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
	device.queue.writeBuffer(made, 0, data);
	return made;
}

// computed runs a shader over buffers and reads the last one.
async function computed(label, code, buffers, bytes, groups) {
	const module = device.createShaderModule({ label, code });
	const pipeline = await device.createComputePipelineAsync({ label, layout: "auto", compute: { module, entryPoint: "main" } });
	const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
	const back = device.createBuffer({ size: bytes, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
	const encoder = device.createCommandEncoder();
	const pass = encoder.beginComputePass({ label });
	pass.setPipeline(pipeline);
	pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
	pass.dispatchWorkgroups(...groups);
	pass.end();
	encoder.copyBufferToBuffer(buffers.at(-1), 0, back, 0, bytes);
	device.queue.submit([encoder.finish()]);
	await back.mapAsync(GPUMapMode.READ);
	return back.getMappedRange().slice(0);
}

function check(name, found, wanted) {
	const at = wanted.findIndex((w, i) => !(Math.abs(found[i] - w) <= 1e-5 * Math.abs(w)));
	console.log(at < 0 ? `ok ${name}` : `FAIL ${name}: element ${at} is ${found[at]}, want ${wanted[at]}`);
	return at < 0;
}

const side = 64;

const product = `
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> left: array<array<f32, 8>, 8>;
var<workgroup> right: array<array<f32, 8>, 8>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_id) here: vec3<u32>) {
  var sum = 0.0;
  for (var k = 0u; k < ${side}u; k += 8u) {
    left[here.y][here.x] = a[at.y * ${side}u + k + here.x];
    right[here.y][here.x] = b[(k + here.y) * ${side}u + at.x];
    workgroupBarrier();
    for (var i = 0u; i < 8u; i++) { sum += left[here.y][i] * right[i][here.x]; }
    workgroupBarrier();
  }
  c[at.y * ${side}u + at.x] = sum;
}`;

async function matrices() {
	const a = Float32Array.from({ length: side * side }, (_, i) => ((i * 7) % 23) - 11);
	const b = Float32Array.from({ length: side * side }, (_, i) => ((i * 5) % 19) - 9);
	const c = bufferOf(new Float32Array(side * side), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
	const inputs = [a, b].map((m) => bufferOf(m, GPUBufferUsage.STORAGE));
	const found = new Float32Array(await computed("product", product, [...inputs, c], 4 * side * side, [side / 8, side / 8]));
	const wanted = a.map((_, i) => {
		let sum = 0;
		for (let k = 0; k < side; k++) sum += a[i - (i % side) + k] * b[k * side + (i % side)];
		return sum;
	});
	return check("product", found, wanted);
}

const sums = `
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
var<workgroup> part: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  part[lane] = values[at.x];
  workgroupBarrier();
  for (var step = 32u; step > 0u; step /= 2u) {
    if (lane < step) { part[lane] += part[lane + step]; }
    workgroupBarrier();
  }
  if (lane == 0u) { atomicAdd(&total, part[0]); }
}`;

async function sum() {
	const values = Uint32Array.from({ length: 4096 }, (_, i) => (i * i) % 1009);
	const total = bufferOf(new Uint32Array(1), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
	const found = new Uint32Array(await computed("sum", sums, [bufferOf(values, GPUBufferUsage.STORAGE), total], 4, [values.length / 64]));
	return check("sum", found, [values.reduce((a, b) => a + b)]);
}

// Nothing draws: a pipeline that would is refused.
async function drawing() {
	const code = `@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i), 0, 0, 1); }
@fragment fn colour() -> @location(0) vec4f { return vec4f(1); }`;
	const module = device.createShaderModule({ code });
	const vertex = { module, entryPoint: "corner" }, fragment = { module, entryPoint: "colour", targets: [{ format: "rgba8unorm" }] };
	try {
		await device.createRenderPipelineAsync({ layout: "auto", vertex, fragment });
	} catch (e) {
		console.log("ok drawing is refused");
		return true;
	}
	console.log("FAIL drawing: a pipeline that draws was made");
	return false;
}

const all = [await matrices(), await sum(), await drawing()];
exit(all.every(Boolean) ? 0 : 1);
