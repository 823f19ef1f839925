package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
)

// stats runs a job of the library with fields set, as path=value.
func stats(t *testing.T, files fs.FS, job, set string) *tracing.Stats {
	t.Helper()
	var settings []config.Setting
	for _, word := range strings.Fields(set) {
		path, value, _ := strings.Cut(word, "=")
		s := suite.Must(setting(path, value))(t)
		settings = append(settings, s)
	}
	loader := config.Files{FS: files, Dir: "."}
	run := suite.Must(loader.Load(job+".yaml", settings))(t)
	out, err := gpu.Run(context.Background(), gpu.Setup{Machine: run.Machine, Job: run.Job})
	if err != nil {
		t.Fatalf("%s, %s: %v", job, set, err)
	}
	return out.Stats
}

// between returns how many more cycles a run takes with one setting than with another.
func between(t *testing.T, files fs.FS, job, set, less, more string) float64 {
	t.Helper()
	return float64(stats(t, files, job, set+" "+more).Cycles) - float64(stats(t, files, job, set+" "+less).Cycles)
}

// level returns the counts of a memory level.
func level(t *testing.T, s *tracing.Stats, name string) *account.LevelCounts {
	for i := range s.Memory {
		if s.Memory[i].Name == name {
			return &s.Memory[i]
		}
	}
	t.Fatalf("no level %s", name)
	return nil
}

// memoryTable lists small jobs whose time shows one part of memory, with what they should take; each row is run.
func memoryTable(t *testing.T) string {
	library := os.DirFS("../library")
	var b strings.Builder
	b.WriteString("| what runs | machine | simulated | wanted |\n| --- | --- | --- | --- |\n")
	row := func(what, machine, simulated, wanted string, value ...any) {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", what, machine, fmt.Sprintf(simulated, value...), wanted)
	}

	const stores = 4 << 20
	s := stats(t, library, "micro-stream", fmt.Sprintf("machine=gcn3-r9nano machine.dispatcher.kernel_launch_cycles=0 parameters.kind=0 parameters.n=%d parameters.spoiler=1 expect=[]", stores/8))
	row("a kernel that only stores, 4 MB: what reaches memory", "gcn3-r9nano", "%.0f B/clk", "below the peak of 512", float64(level(t, s, "memory").Written)/float64(s.Cycles))

	s = stats(t, library, "micro-atomic", "machine=rdna3-rx7900xtx machine.dispatcher.kernel_launch_cycles=0 machine.dispatcher.launch_floor_cycles=0 machine.shader_engines=1 parameters.groups=256 parameters.adds=8 expect=[]")
	row("atomics without a result, to 64 words", "rdna3-rx7900xtx", "%.0f %% are `memory.atomic`, %.0f %% empty", "empty only where no work is left",
		100*share(s, account.MemoryAtomic), 100*share(s, account.Empty))

	const unit = " machine.shader_engines=1 machine.compute_units=1"
	var gathers []string
	for _, kb := range []int{8, 16, 32, 64} {
		set := fmt.Sprintf("machine=cdna3-mi300a%s parameters.bytes=%d parameters.groups=8 expect=[]", unit, kb<<10)
		gathers = append(gathers, fmt.Sprintf("%.0f", between(t, library, "micro-gather", set, "parameters.loads=16", "parameters.loads=48")/(32*32)))
	}
	row("lanes gather from a table of 8, 16, 32, 64 KB: cycles of a wave's load", "cdna3-mi300a", "%s", "64 to 66", strings.Join(gathers, ", "))

	const bytes = 3 << 20
	s = stats(t, library, "micro-read", fmt.Sprintf("machine=cdna3-mi300a machine.shader_engines=1 machine.vector_l1.bytes=16384 parameters.bytes=%d parameters.groups=38 parameters.loads=64 parameters.share=38", bytes))
	l2 := level(t, s, "l2")
	row("3 MB an XCD, read pass after pass", "cdna3-mi300a", "%.0f %%, of %.1f passes", "an L2 of 4 MB that keeps the last lines used holds them all", 100*float64(l2.Hits)/float64(l2.Accesses), float64(l2.Bytes)/bytes)

	stride := func(n int) float64 {
		return between(t, library, "micro-stride", fmt.Sprintf("machine=rdna2-rx6900xt%s parameters.groups=1 parameters.stride=%d", unit, n), "parameters.rounds=8", "parameters.rounds=24")
	}
	row("stride 33 against 32 in the first cache", "rdna2-rx6900xt", "%.1f times as fast", "4.0", stride(32)/stride(33))

	us := between(t, library, "micro-launch", "machine=rdna2-rx6900xt parameters.n=4096", "parameters.launches=2", "parameters.launches=4") / 2 / 2570
	first := float64(stats(t, library, "micro-launch", "machine=rdna2-rx6900xt parameters.n=4096 parameters.launches=1").Cycles) / 2570
	row("a launch behind another, and a first one", "rdna2-rx6900xt", "%.1f us and %.1f us", "3.3 us", us, first)

	host := fstest.MapFS{"copies.yaml": {Data: []byte("machine: cdna3-mi300a\nsteps:\n  - {name: small, copy: {to: device, bytes: 524288}}\n  - {name: large, copy: {to: device, bytes: 2097152}}\n  - {synchronize: true}\n")}}
	steps := stats(t, host, "copies", "").Steps
	at := func(i int) float64 { return float64(steps[i].Cycles) / 2100 }
	row("copies from the host of 512 KB and of 2 MB, and a wait of the host", "cdna3-mi300a", "%.0f, %.0f and %.0f us", "longer than 11.6 us and 18.1 us a megabyte below 1 MB", at(0), at(1), at(2))
	return b.String()
}

// share returns a reason's share in the slot cycles of a run.
func share(s *tracing.Stats, r account.Reason) float64 {
	return float64(s.Slots[r]) / float64(s.Slots.Total())
}
