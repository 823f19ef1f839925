package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/scheduler"
	"spvsim/scheduler/internal/testmachine"
	"spvsim/simd"
)

// alloc allocates n payloads of the first output into a scalar register; need
// uses that register, and enqueue hands the payloads over.
func alloc(dst, n int) isa.Inst {
	return isa.Inst{Op: isa.PayloadAlloc, T: isa.I64, Dst: isa.S(dst), Src: [4]isa.Reg{isa.Lit(uint64(n)), isa.Lit(0)}}
}

func enqueue(src int) isa.Inst {
	return isa.Inst{Op: isa.PayloadEnqueue, Src: [4]isa.Reg{isa.S(src)}}
}

func need(dst, src int) isa.Inst {
	return isa.Inst{Op: isa.IAdd, T: isa.I64, Uniform: true, Dst: isa.S(dst), Src: [4]isa.Reg{isa.S(src), isa.Lit(1)}}
}

// runProducer runs one workgroup of local invocations of a node that executes
// list; what it enqueues goes to a node that marks.
func runProducer(t *testing.T, spec scheduler.WorkSpec, pending bool, local uint32, list ...isa.Inst) (*queueRig, account.SlotCycles) {
	t.Helper()
	r := startProducer(t, spec, pending, local, list...)
	r.finish(t)
	_, end := r.run.Finished()
	return r, r.Array.ChargeEmpty(end)
}

// startProducer has it begin.
func startProducer(t *testing.T, spec scheduler.WorkSpec, pending bool, local uint32, list ...isa.Inst) *queueRig {
	t.Helper()
	o := output2("sink")
	o.MaxPayloads = 8
	producer, sink := node("producer", 0, o), static("sink")
	r := newQueueRig(t, spec, pending, producer, sink)
	prog := testmachine.Assemble(local, list...)
	prog.Node = producer.Program.Node
	code := suite.Must(simd.NewCode(prog, r.m.Rules(), 0))(t)
	n := suite.Must(cu.NewResources(prog, r.m.Limits()))(t)
	producer.Program, producer.Launch = prog, &cu.KernelLaunch{Code: code, Resources: n, Bindings: &mem.Bindings{}}
	r.run.Dispatch(0, []Entry{{Node: producer, Count: 1, Data: make([]byte, 4), Stride: 4}})
	return r
}

// A wave has its payloads after the latency there and back, and waits for them
// only when it needs the handle.
func TestWaveWaitsForItsPayloads(t *testing.T) {
	for _, latency := range []int{0, 1, 30} {
		s := defaultQueue("hardware")
		s.Queue.Latency = latency
		r, slots := runProducer(t, s, false, 64, mark, alloc(2, 1), mark, need(4, 2), mark)
		// The message class has a latency of 1: the sum may issue a cycle after the answer.
		ready := uint64(2 + max(2*latency, 1) + 1)
		want := []uint64{1, 3, max(4, ready) + 1}
		if diff := cmp.Diff(want, r.Prints); diff != "" {
			t.Errorf("latency %d (-want +got):\n%s", latency, diff)
		}
		if got := slots[account.Payload]; got != max(4, ready)-4 {
			t.Errorf("latency %d: %d cycles waited for payloads, want %d", latency, got, max(4, ready)-4)
		}
	}
}

// A wave goes on after an enqueue when the queue has taken the payloads.
func TestEnqueueStallsWave(t *testing.T) {
	for _, pending := range []bool{false, true} {
		s := defaultQueue("firmware")
		s.Scheduler.FirmwareCycles = 1
		r, slots := runProducer(t, s, pending, 64, alloc(2, 1), mark, enqueue(2), mark)
		// The core reads the entry and starts the node. Its allocation is answered
		// replyCycles later; the enqueue issues a cycle after that, and holds the wave
		// for as long again.
		first := uint64(replyCycles + 1 + 1)
		enqueued := first + replyCycles + 1
		want := []uint64{first + 1, enqueued + replyCycles}
		if diff := cmp.Diff(want, r.Prints[:2]); diff != "" {
			t.Errorf("replies pending %v (-want +got):\n%s", pending, diff)
		}
		if got, want := slots[account.Payload], enqueued-(first+2)+replyCycles-1; got != want {
			t.Errorf("replies pending %v: %d cycles waited for payloads, want %d", pending, got, want)
		}
		if len(r.Prints) != 3 {
			t.Errorf("replies pending %v: the payload started %d workgroups", pending, len(r.Prints)-2)
		}
	}
}

// A workgroup's allocation is made once and answered to each of its waves, the
// ones that come later included; the array goes off with the last wave.
func TestWavesOfAWorkgroupAllocateTogether(t *testing.T) {
	for _, pending := range []bool{false, true} {
		s := defaultQueue("firmware")
		s.Scheduler.FirmwareCycles = 1
		r, _ := runProducer(t, s, pending, 192, alloc(2, 3), enqueue(2))
		if got := len(r.Prints); got != 3 {
			t.Errorf("replies pending %v: %d workgroups were started, want 3", pending, got)
		}
		if got := r.run.Counts(); got.Nodes[1].Payloads != 3 || got.Queue.PeakDepth != 3 {
			t.Errorf("replies pending %v: %d payloads, peak %d", pending, got.Nodes[1].Payloads, got.Queue.PeakDepth)
		}
	}
}

// Waves of a workgroup that come to an instruction one after the other make one call of it; each time that one of them
// comes again, and each other instruction, is another.
func TestWavesJoinTheirCalls(t *testing.T) {
	g := &workgroup{}
	for i, c := range []struct {
		pc, wave, call int
		isNew          bool
	}{{7, 0, 0, true}, {9, 0, 1, true}, {7, 1, 0, false}, {7, 0, 2, true}, {9, 1, 1, false}, {7, 1, 2, false}, {7, 2, 0, false}} {
		v := &waveOp{pc: c.pc, st: &isa.State{WaveInGroup: uint32(c.wave)}, in: &isa.Inst{}}
		if got, isNew := g.joinCall(v); got != &g.calls[c.call] || isNew != c.isNew {
			t.Errorf("visit %d, of wave %d at %d: new %v, of %d calls; want call %d, new %v", i, c.wave, c.pc, isNew, len(g.calls), c.call, c.isNew)
		}
	}
}

// A workgroup may allocate as many payloads of an output as it says, in one call or in several.
func TestPayloadsOfAWorkgroup(t *testing.T) {
	for _, c := range []struct {
		counts []int
		fault  string
	}{{[]int{8}, ""}, {[]int{3, 5}, ""}, {[]int{9}, "9 payloads are allocated, NodeMaxPayloadsAMDX is 8"}, {[]int{3, 6}, "6 payloads after 3 are more than the 8"}} {
		var list []isa.Inst
		for i, n := range c.counts {
			list = append(list, alloc(2+2*i, n), enqueue(2+2*i))
		}
		r := startProducer(t, defaultQueue("hardware"), false, 64, list...)
		switch err := r.Engine.Run(); {
		case c.fault == "" && (err != nil || len(r.Prints) != 8):
			t.Errorf("%v: %v, %d workgroups started; want 8", c.counts, err, len(r.Prints))
		case c.fault != "" && (!errors.Is(err, ErrFault) || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%v: %v, want %q", c.counts, err, c.fault)
		}
	}
}
