package gpu_test

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/mem"
)

// A device runs a kernel on memory that the caller keeps, as often as it is asked; the ids of workgroups begin at the base.
func TestDeviceRunsOnMemoryOfOthers(t *testing.T) {
	m, err := config.Preset(config.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range config.Modes[:2] {
		t.Run(mode, func(t *testing.T) { testDeviceRuns(t, m, mode) })
	}
	if _, err := gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: "quick"}); err == nil {
		t.Error("a mode that there is not was taken")
	}
}

func testDeviceRuns(t *testing.T, m *config.Machine, mode string) {
	d, err := gpu.OpenDevice(gpu.DeviceSetup{Machine: m, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/base.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	module, err := gpu.LoadModule(text, "base.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Kernel(gpu.KernelSetup{Module: module})
	if err != nil {
		t.Fatal(err)
	}
	const at = 1 << 40
	bytes := make([]byte, 4*8)
	d.Map(at, bytes, "words")
	x := &gpu.Dispatch{Name: "base", Kernel: k, Groups: [3]uint32{4, 1, 1}, Base: [3]uint32{2, 0, 0}, Elements: [][]mem.Descriptor{{{Addr: at, Bytes: bytes}}}}
	for round := range 2 {
		before := d.Cycle()
		c, err := d.Run(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Cycles == 0) != (mode == "functional") || d.Cycle() < before+c.Cycles || c.Workgroups != 4 {
			t.Errorf("round %d: %d cycles from %d to %d, %d workgroups", round, c.Cycles, before, d.Cycle(), c.Workgroups)
		}
	}
	for i := range 8 {
		want := uint32(0)
		if i >= 2 && i < 6 {
			want = uint32(2 * i)
		}
		if got := binary.LittleEndian.Uint32(bytes[4*i:]); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	if got := d.Memory(at+4, 4); len(got) != 4 || &got[0] != &bytes[4] {
		t.Errorf("memory at its address: %v", got)
	}
	d.Unmap(at)
	if got := d.Memory(at, 4); got != nil {
		t.Errorf("memory that was taken away: %v", got)
	}
}

// A transfer takes a launch and its bytes at the rate of all channels.
func TestDevicePassesTimeOfTransfers(t *testing.T) {
	m, err := config.Preset(config.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.OpenDevice(gpu.DeviceSetup{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	rate := uint64(m.Memory.BytesPerCycle) * uint64(m.Memory.Channels)
	if got, want := d.Pass(100*rate, false), uint64(m.Dispatcher.KernelLaunchCycles)+100; got != want || d.Cycle() != want {
		t.Errorf("%d cycles, at %d: want %d", got, d.Cycle(), want)
	}
}
