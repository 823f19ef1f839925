package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/experiments"
)

// A scaledJob is a job of the library with a parameter for its size: unit times a power of two, up to most. Of long runs it is
// long times the largest size, or half of that: some 5 to 30 seconds of the host's processor with time.
type scaledJob struct {
	name, parameter  string
	unit, most, long int
	fixed            string // further parameters, with spaces between
}

// scaledJobs are the jobs that are drawn: those with one behaviour, with divergence, with atomics, with many launches, and OpenCL kernels.
var scaledJobs = []scaledJob{
	{"saxpy", "n", 262144, 16, 8, ""},
	{"vectoradd", "n", 262144, 16, 4, ""},
	{"stencil2d", "width", 512, 8, 8, "height=512"},
	{"matmul", "n", 256, 4, 1, ""},
	{"mandelbrot", "size", 256, 4, 2, ""},
	{"fft", "transforms", 256, 8, 8, ""},
	{"bitonic", "blocks", 64, 8, 4, ""},
	{"compact", "blocks", 1024, 8, 8, ""},
	{"transpose-plain", "n", 512, 4, 2, ""},
	{"transpose-padded", "n", 512, 4, 2, ""},
	{"peer-fir", "n", 262144, 8, 4, ""},
	{"peer-convolution", "width", 512, 8, 4, ""},
	{"peer-transpose", "n", 1024, 2, 4, ""},
	{"peer-atax", "n", 512, 4, 2, ""},
	{"peer-bitonic", "n", 16384, 4, 8, ""},
	{"qdot8", "rows", 512, 8, 8, ""},
	{"micro-gather", "groups", 1280, 2, 2, "bytes=4194304"},
	{"groupscan-dpp", "blocks", 2048, 8, 4, ""},
	{"groupscan-lds", "blocks", 2048, 8, 4, ""},
	{"cl-kmeans", "n", 16384, 8, 4, "rounds=8"},
	{"cl-montecarlo", "items", 16384, 8, 4, ""},
	{"cl-stencil", "width", 500, 1, 2, "height=360 steps=16"},
	{"cl-fft", "transforms", 256, 4, 8, ""},
	{"cl-lu", "n", 256, 2, 1, ""},
	{"cl-scan", "n", 262144, 8, 4, ""},
}

// libraryMachines are the presets that these jobs are drawn for.
var libraryMachines = []string{"cdna2-mi210", "cdna3-mi300a", "cdna3-mi300x", "cdna4-mi350p", "gcn3-r9nano", "rdna2-rx6800xt", "rdna2-rx6900xt", "rdna3-780m", "rdna3-8060s",
	"rdna3-rx7900xtx", "rdna3-w7800", "rdna4-rx9070xt"}

// newLibraryWorkload draws a job of the library, its size and a machine; long: of the sizes of long runs.
func newLibraryWorkload(seed uint64, long bool) *workload {
	w := &workload{seed: seed, draw: rand.New(rand.NewPCG(seed, 49))}
	j := scaledJobs[w.draw.IntN(len(scaledJobs))]
	w.machine = libraryMachines[w.draw.IntN(len(libraryMachines))]
	w.set = []string{fmt.Sprintf("compute_units=%d", 1+w.draw.IntN(2))} // of a shader engine: few, so that launches have many generations
	size, most := j.unit, j.unit*j.most
	if long {
		most *= j.long
		size = most / 2
	}
	for size < most && w.draw.IntN(3) > 0 {
		size *= 2
	}
	w.library = j.name
	w.parameters = append(strings.Fields(j.fixed), fmt.Sprintf("%s=%d", j.parameter, size))
	w.kind = strings.Join(append([]string{j.name, w.machine, w.set[0]}, w.parameters...), " ")
	return w
}

// A changedKey is a key of the machine, and values that are drawn for one machine of a pair; the other has the preset's.
type changedKey struct {
	path   string
	values []string
}

var changedKeys = []changedKey{
	{"memory.latency_cycles", []string{"100", "300", "450"}},
	{"memory.efficiency", []string{"0.6", "0.75", "0.9"}},
	{"l2.latency_cycles", []string{"60", "120", "200"}},
	{"vector_l1.latency_cycles", []string{"20", "60", "90"}},
	{"vector_l1.bytes", []string{"8192", "65536"}},
	{"wave_slots", []string{"4", "8"}},
}

// changedMachine draws the other machine of a pair, and returns the workload for it.
func (w *workload) changedMachine() *workload {
	k := changedKeys[w.draw.IntN(len(changedKeys))]
	set := k.path + "=" + k.values[w.draw.IntN(len(k.values))]
	other := *w
	other.set = append(slices.Clone(w.set), set)
	other.kind += " against " + set
	return &other
}

// libraryJob is the job of the library with its parameters.
func (w *workload) libraryJob() (*config.Job, error) {
	files, name, _, err := experiments.Lookup(w.library)
	if err != nil {
		return nil, err
	}
	job, err := config.LoadJobWith(files, name, w.parameters)
	if err != nil {
		return nil, err
	}
	job.Expect = nil // values of other sizes
	if job.Machine = w.machine; w.sampling != "" {
		generated := newWorkload(0) // for a job that has the keys
		generated.sampling = w.sampling
		other, err := generated.job()
		if err != nil {
			return nil, err
		}
		job.Sampling = other.Sampling
	}
	return job, nil
}
