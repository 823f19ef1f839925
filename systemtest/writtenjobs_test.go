package systemtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writtenKind draws jobs of one kind.
type writtenKind struct {
	name   string
	folder string // of its modules
	graphs bool   // it has execution graphs
	text   func(r *rand.Rand) string
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

const (
	keyFolder   = "systemtest/testdata/keys"
	drawFolder  = "gpu/testdata/draw"
	graphFolder = "experiments/library"
)

// writtenKinds take turns: accesses of memory, of which there are most keys, more than one.
var writtenKinds = []writtenKind{
	{"walk", keyFolder, false, randomWalk},
	{"queues", keyFolder, false, func(r *rand.Rand) string {
		return mixJob(randomSet(r, 2+r.IntN(8), 30), 30, true)
	}},
	{"lds", keyFolder, false, randomLDS},
	{"walk", keyFolder, false, randomWalk},
	{"fan", keyFolder, true, func(r *rand.Rand) string {
		return fan(oneOf(r, "single", "gather"), r.IntN(100), r.IntN(200), 1+r.IntN(2))
	}},
	{"steps", keyFolder, false, func(r *rand.Rand) string {
		return mixJob(randomSet(r, 1+r.IntN(6), 20), 20, false)
	}},
	{"quads", drawFolder, false, randomDraw},
	{"walk", keyFolder, false, randomWalk},
	{"samples", keyFolder, false, randomSamples},
	{"arithmetic", keyFolder, false, randomArithmetic},
	{"flow", "", false, nil},
	{"stores", keyFolder, false, func(r *rand.Rand) string {
		return walk(oneOf(r, 2, 3, 5, 7), oneOf(r, 32, 64, 96), 1+r.IntN(8), oneOf(r, 1, 1, 2, 32), oneOf(r, 16, 32, 33), 1+r.IntN(12), 1+r.IntN(3), oneOf(r, 0, 64, 4096))
	}},
	{"graph", graphFolder, true, randomGraphSteps},
	{"copies", keyFolder, false, randomCopies},
	{"scalar", keyFolder, false, func(r *rand.Rand) string {
		return walk(oneOf(r, 4, 6), oneOf(r, 16, 32, 64), 1+r.IntN(12), 0, oneOf(r, 4, 16, 100), 1+r.IntN(16), 1+r.IntN(2), oneOf(r, 0, 16, 1024))
	}},
	{"launches", keyFolder, false, randomLaunches},
	{"groups", keyFolder, false, randomLargeLaunch},
	{"bounds", keyFolder, true, func(*rand.Rand) string { return keyJobs["bounds"] }},
}

// randomWalk goes through memory in one of walk.comp's ways; some go out of their buffers.
func randomWalk(r *rand.Rand) string {
	return walk(r.IntN(8), oneOf(r, 16, 32, 48, 64, 64, 128, 256), 1+r.IntN(16), oneOf(r, 0, 1, 1, 1, 2, 17, 32, 1024), oneOf(r, 0, 1, 32, 96, 1024, 4096), 1+r.IntN(16),
		1+r.IntN(3), oneOf(r, 0, 32, 100, 1024, 4096)) + waveSize(r)
}

// waveSize asks now and then for waves that all presets have.
func waveSize(r *rand.Rand) string { return oneOf(r, "", "", "", "wave_size: 64\n") }

func randomLDS(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return reads(oneOf(r, 0, 3), oneOf(r, 32, 64, 100, 256))
	}
	return ldsJob(r.IntN(8), oneOf(r, 8, 32, 64, 96), 1+r.IntN(6), oneOf(r, 0, 1, 2, 3, 8, 16, 31, 32, 33, 64)) + waveSize(r)
}

// randomSamples is a texture that is read in one of the ways of samplers.
func randomSamples(r *rand.Rand) string {
	text := strings.NewReplacer("width: 64, height: 64", fmt.Sprintf("width: %d, height: %d", 1+r.IntN(80), 1+r.IntN(80)),
		"Rgba8", oneOf(r, "Rgba8", "Rgba16f", "Rgba32f", "R8", "Rg16f"), "filter: linear", "filter: "+oneOf(r, "linear", "nearest"), "mip: linear", "mip: "+oneOf(r, "linear", "nearest"),
		"wrap: [repeat]", "wrap: ["+oneOf(r, "repeat", "clamp", "mirror", "border")+"]", "dispatch: [1]", fmt.Sprintf("dispatch: [%d]", 1+r.IntN(3)))
	return text.Replace(samples(oneOf(r, 0, 0.5, 1, 1.25, 2.75, 9)))
}

// randomArithmetic is one of the jobs of vector and scalar arithmetic.
func randomArithmetic(r *rand.Rand) string {
	name := oneOf(r, "all", "select", "divide", "units", "phases", "loads", "straight")
	groups := 1
	if name == "units" || name == "phases" || name == "straight" {
		groups = 1 + r.IntN(10)
	}
	text := keyJobs[name]
	return text[:strings.Index(text, "dispatch:")] + fmt.Sprintf("dispatch: [%d]\n", groups) + waveSize(r)
}

// randomCopies are copies of the host, launches and waits in some order.
func randomCopies(r *rand.Rand) string {
	text := keyJobs["copies"]
	text = text[:strings.Index(text, "steps:")] + "steps:\n"
	for i := range 2 + r.IntN(5) {
		text += fmt.Sprintf("  - {name: s%d, %s}\n", i, oneOf(r, "dispatch: [1]", "synchronize: true",
			fmt.Sprintf("copy: {to: device, bytes: %d}", 1+r.IntN(5000)), fmt.Sprintf("copy: {to: host, bytes: %d}", 1+r.IntN(5000)),
			fmt.Sprintf("transfer: {bytes: %d, moves: [{to: sink, at: 0, from: a, offset: 0, bytes: 128}]}", 256*(1+r.IntN(20)))))
	}
	return text
}

// randomGraphSteps dispatches a graph of the library, once or more, in order or in queues beside each other.
func randomGraphSteps(r *rand.Rand) string {
	step := "{name: %s, graph: [{node: start}]}"
	if r.IntN(2) == 0 {
		return graphBuffers + oneGraph + "steps: [" + fmt.Sprintf(step, "g") + "]\n" + fmt.Sprintf("scratch_bytes: %d\n", 100_000<<r.IntN(6))
	}
	return graphBuffers + oneGraph + "queues:\n- steps: [" + fmt.Sprintf(step, "g") + "]\n- steps: [" + fmt.Sprintf(step, "h") + "]\n"
}

// partly is what of a job is timed, or how it is sampled.
func partly(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		first := r.IntN(30)
		return fmt.Sprintf("time: {workgroups: [%d, %d]}\n", first, first+r.IntN(30))
	case 1:
		return fmt.Sprintf("time: {first: %d}\n", 1+r.IntN(3))
	}
	return fmt.Sprintf("mode: sampled\nsampling: {first: %d, near: %d, near_rows: %d, generations: 2, batches: %d, most_batches: %d, share: %g, detail: %d, pieces: %d, burn_in: %d, peeked: %d, seed: %d}\n",
		1+r.IntN(3), 1+r.IntN(6), 1+r.IntN(4), 2+r.IntN(3), r.IntN(12), oneOf(r, 0.05, 0.2, 0.5), oneOf(r, 2, 8, 32), oneOf(r, 8, 16, 48), 1+r.IntN(4), oneOf(r, 1, 4, 8), r.IntN(100))
}

// randomLaunches are many launches of a few kinds, of which a part is timed.
func randomLaunches(r *rand.Rand) string {
	text := "shader: mix.spv\nbuffers: [{set: 0, binding: 0, name: words, data: {random: {type: u32, seed: 7, count: 8192}}}]\n" + partly(r)
	text += fmt.Sprintf("steps:\n- for: {i: 0..%d}\n  steps:\n", 4+r.IntN(24))
	for k := range 1 + r.IntN(3) {
		text += fmt.Sprintf("  - {name: s%d, push_constants: [{u32: 0}, {u32: 4096}, {u32: %s}], dispatch: [%s]}\n", k,
			oneOf(r, "20", "200", "10 + 3 * i", "40 * (i % 3)"), oneOf(r, "4", "16", "1 + i", "8 + 8 * (i % 2)"))
	}
	return text
}

// randomLargeLaunch has more workgroups than a small machine holds; a part of them is timed.
func randomLargeLaunch(r *rand.Rand) string {
	return walk(oneOf(r, 0, 1, 2, 6), oneOf(r, 64, 128, 256), 50+r.IntN(150), 1, 32, 1+r.IntN(3), 1, oneOf(r, 0, 64, 256)) + partly(r)
}

// drawShaders are fragment shaders with what they are given besides positions.
var drawShaders = []struct{ name, buffers, attributes string }{
	{"kill", "  - {set: 0, binding: 0, name: data, data: {zero: 8}}\n", ""},
	{"demote", "  - {set: 0, binding: 0, name: data, data: {zero: 1036}}\n", ""},
	{"helpers", "  - {set: 0, binding: 0, name: data, data: {zero: 28}}\n", ""},
	{"derive", "  - {unbound: true, name: o1, image: {format: Rgba32f, width: 16, height: 16}}\n", "2"},
}

// randomDraw is some triangles.
func randomDraw(r *rand.Rand) string {
	shader := drawShaders[r.IntN(len(drawShaders))]
	var at, values []string
	corners := 3 * (1 + r.IntN(4))
	for range corners {
		at = append(at, fmt.Sprintf("%d, %d, %g, %d", r.IntN(20)-2, r.IntN(20)-2, float64(r.IntN(9))/8, 1+r.IntN(3)))
		values = append(values, fmt.Sprintf("%d, %d", r.IntN(8), r.IntN(8)))
	}
	text := fmt.Sprintf("shader: %s.spv\nbuffers:\n%s  - {unbound: true, name: o0, image: {format: Rgba32f, width: 16, height: 16}}\ndraw:\n  depth: %s\n  positions: {type: f32, values: [%s]}\n",
		shader.name, shader.buffers, oneOf(r, "none", "less"), strings.Join(at, ", "))
	color := "{location: 0, buffer: o0, clear: [0.5]}"
	if shader.attributes != "" {
		text += "  attributes: [{location: 0, components: 2, data: {type: f32, values: [" + strings.Join(values, ", ") + "]}}]\n"
		color += ", {location: 1, buffer: o1, clear: [0]}"
	}
	return text + "  color: [" + color + "]\n"
}
