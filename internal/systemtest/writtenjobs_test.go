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
	keyFolder   = "internal/systemtest/testdata/keys"
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
	{"hazards", keyFolder, false, randomHazards},
	{"queues", keyFolder, false, func(r *rand.Rand) string {
		return mixJob(randomSet(r, 4+r.IntN(16), 30), 30, true) + partly(r)
	}},
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
	{"quads", drawFolder, false, randomDraw},
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
	return fmt.Sprintf("mode: sampled\nsampling: {generations: %d, pieces: %d, settle: %d, budget: %g, target: %g, detail: %d, weight: %d, seed: %d}\n",
		2+r.IntN(4), oneOf(r, 8, 16, 48), 1+r.IntN(4), oneOf(r, 0.05, 0.2, 0.5), oneOf(r, 0.01, 0.1), oneOf(r, 2, 8, 32), 1+r.IntN(6), r.IntN(100))
}

// randomHazards are launches and transfers in queues that do not wait for what they touch.
func randomHazards(r *rand.Rand) string {
	list := randomSet(r, 3+r.IntN(8), 24)
	for i := range list {
		if r.IntN(3) > 0 {
			list[i].after, list[i].barrier = nil, false
		}
	}
	return mixJob(list, 24, true)
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

// drawShaders are fragment shaders with what they are given besides positions: components of each attribute, and how many colours they put out.
var drawShaders = []struct {
	name, buffers, more string
	attributes          []int
	colors              int
}{
	{"kill", "  - {set: 0, binding: 0, name: data, data: {zero: 8}}\n", "", nil, 1},
	{"demote", "  - {set: 0, binding: 0, name: data, data: {zero: 1036}}\n", "", nil, 1},
	{"helpers", "  - {set: 0, binding: 0, name: data, data: {zero: 28}}\n", "", nil, 1},
	{"derive", "", "", []int{2}, 2},
	{"places", "", "", []int{2, 2, 2}, 4},
	{"persample", "", "", []int{2, 2}, 2},
	{"points", "", "  topology: points\n", []int{4}, 2},
	{"sample", "  - {set: 0, binding: 0, name: tex, image: {format: Rgba8, width: 13, height: 8, mips: auto, data: {random: {seed: 3, type: u32, count: 104}}}}\n",
		"", []int{2}, 6},
}

// randomDraw is some triangles, or points, on attachments of one sample or several.
func randomDraw(r *rand.Rand) string {
	shader := drawShaders[r.IntN(len(drawShaders))]
	corners, samples := 3*(1+r.IntN(4)), oneOf(r, 1, 1, 2, 4)
	numbers := func(n int, draw func() string) string {
		var list []string
		for range n {
			list = append(list, draw())
		}
		return "{type: f32, values: [" + strings.Join(list, ", ") + "]}"
	}
	text := "shader: " + shader.name + ".spv\nbuffers:\n" + shader.buffers
	color := "  color:\n"
	for k := range shader.colors {
		text += fmt.Sprintf("  - {unbound: true, name: o%d, image: {format: Rgba32f, width: 16, height: 16, samples: %d}}\n", k, samples)
		color += fmt.Sprintf("    - {location: %d, buffer: o%d, clear: [%g]}\n", k, k, oneOf(r, 0, 0.5))
	}
	if strings.Contains(shader.buffers, "tex") {
		text += "samplers: [{set: 0, binding: 0, filter: " + oneOf(r, "linear", "nearest") + ", mip: " + oneOf(r, "linear", "nearest") + ", wrap: [" + oneOf(r, "repeat", "clamp", "mirror") + "]}]\n"
	}
	text += "draw:\n  depth: " + oneOf(r, "none", "less") + "\n" + shader.more + "  positions: " + numbers(corners, func() string {
		return fmt.Sprintf("%g, %g, %g, %d", float64(r.IntN(80))/4-2, float64(r.IntN(80))/4-2, float64(r.IntN(9))/8, 1+r.IntN(3))
	}) + "\n"
	if shader.more != "" {
		text += "  point_sizes: " + numbers(corners, func() string { return fmt.Sprint(1 + r.IntN(7)) }) + "\n"
	}
	for k, n := range shader.attributes {
		if k == 0 {
			text += "  attributes:\n"
		}
		text += fmt.Sprintf("    - {location: %d, components: %d, data: %s}\n", k, n, numbers(n*corners, func() string { return fmt.Sprint(r.IntN(8)) }))
	}
	return text + color
}
