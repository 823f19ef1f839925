package functional

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"spvsim/internal/fault"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/mem/hierarchy"
	"spvsim/program"
)

// s and l are scalar registers and literals; v is a vector register.
var s, l, v = isa.S, isa.Lit, isa.V

// uniform is an instruction on the scalar unit.
func uniform(op isa.Op, dst isa.Reg, src ...isa.Reg) isa.Inst {
	in := isa.Inst{Op: op, T: isa.I32, Uniform: true, Dst: dst, Class: isa.ClassSALU}
	copy(in.Src[:], src)
	return in
}

func branch(op isa.Op, target int32, src ...isa.Reg) isa.Inst {
	in := isa.Inst{Op: op, Target: target, Class: isa.ClassBranch}
	copy(in.Src[:], src)
	return in
}

// update works on the word at offset of the one buffer, for all lanes or the first alone.
func update(op isa.Op, dst, value isa.Reg, offset uint32) isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: isa.I32, Count: 1, Offset: offset, Coherent: true}}
	return isa.Inst{Op: op, T: isa.I32, Dst: dst, Src: [4]isa.Reg{value}, Mem: m, Class: isa.ClassVMEMAtomic}
}

// move loads or stores the lane's word of LDS or of the buffer; the byte offset is in row 0, the data in row 1.
func move(op isa.Op, space isa.Space) isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: space, Elem: isa.I32, Count: 1}, Index: v(0)}
	m.Dsts[0], m.Data[0] = v(1), v(1)
	return isa.Inst{Op: op, T: isa.I32, Mem: m, Class: isa.ClassVMEM}
}

func end() isa.Inst { return isa.Inst{Op: isa.End, Class: isa.ClassEnd} }

func kernelOf(t *testing.T, local uint32, insts ...isa.Inst) (*mem.Store, *mem.Buffer, *Kernel) {
	t.Helper()
	for i := range insts {
		isa.Resolve(&insts[i])
	}
	store := mem.NewStore(0)
	b := suite.Must(store.Alloc(4096, "data"))(t)
	bindings := &mem.Bindings{}
	bindings.Bind(mem.DescriptorOf(b))
	p := &program.Program{Name: "test", WaveSize: 64, LocalSize: [3]uint32{local, 1, 1}, VectorRows: 4, ScalarWords: 8, LDSBytes: 4096, Insts: insts}
	return store, b, &Kernel{Program: p, Bindings: bindings}
}

func word(b *mem.Buffer, i int) uint32 { return binary.LittleEndian.Uint32(b.Bytes[4*i:]) }

// Each workgroup waits for the one after it: all must have begun before the first can end.
func TestWorkgroupsMayWaitForLaterOnes(t *testing.T) {
	const n = 50
	for _, threads := range []int{1, 2} {
		store, b, k := kernelOf(t, 64,
			uniform(isa.WorkgroupIDX, s(0)),
			update(isa.AtomicLoad, s(1), l(0), 0), // 1
			uniform(isa.IAdd, s(2), s(1), s(0)),
			uniform(isa.IEq, s(3), s(2), l(n-1)),
			branch(isa.BranchFalse, 1, s(3)),
			uniform(isa.MaskZero, s(4)),
			update(isa.AtomicStore, isa.Reg{}, s(2), 4),
			uniform(isa.IAdd, s(1), s(1), l(1)),
			update(isa.AtomicStore, isa.Reg{}, s(1), 0),
			end())
		c, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{n, 1, 1}}, Options{Threads: threads, Resident: n})
		if err != nil || word(b, 0) != n || c.Workgroups != n {
			t.Errorf("%d threads: %v, %d went through, %d ended", threads, err, word(b, 0), c.Workgroups)
		}
		// With two threads one looks on while the host runs something else on the other's processor.
		if most := uint64(200 * n * n); threads == 1 && c.Total() > most {
			t.Errorf("%d threads: %d instructions for %d workgroups: want at most %d", threads, c.Total(), n, most)
		}
	}
}

// Fewer workgroups may have begun than wait for one another: that is no end, and who watches can stop it.
func TestResidentWorkgroupsAreBounded(t *testing.T) {
	store, _, k := kernelOf(t, 64,
		update(isa.AtomicIAdd, s(1), l(0), 4),
		update(isa.AtomicLoad, s(1), l(0), 0), // 1
		uniform(isa.IEq, s(3), s(1), l(64)),
		branch(isa.BranchFalse, 1, s(3)),
		end())
	most, enough := uint64(0), errors.New("enough")
	_, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{100, 1, 1}}, Options{Threads: 1, Resident: 7, Poll: func(p Progress) error {
		if most = max(most, p.RunningWorkgroups); most >= 7 || p.Instructions > 1e8 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || most != 7 {
		t.Errorf("%v: %d workgroups had begun, want 7", err, most)
	}
}

// A heldWork gives its one workgroup out, and holds a worker that asks for another one until it is released.
type heldWork struct {
	*grid
	asked   atomic.Int64
	waiting chan struct{} // closed when a worker waits
	release chan struct{}
}

func (w *heldWork) Next(others bool) (k *Kernel, wg Workgroup, found, later bool) {
	if w.asked.Add(1) == 2 {
		close(w.waiting)
		<-w.release
	}
	return w.grid.Next(others)
}

// A worker that asks for a workgroup when there is none has begun none.
func TestWorkgroupsRunBesideEachOther(t *testing.T) {
	for beside, want := range map[int]uint32{0: 1, 1: 1, 3: 3, 8: 5} { // of 5 workgroups, begun before the first one has ended
		store, b, k := kernelOf(t, 64,
			uniform(isa.Mov, s(0), l(0)),
			update(isa.AtomicIAdd, s(1), l(1), 0),
			uniform(isa.IAdd, s(0), s(0), l(1)), // 2
			uniform(isa.IEq, s(3), s(0), l(100)),
			branch(isa.BranchFalse, 2, s(3)),
			update(isa.AtomicLoad, s(1), l(0), 0),
			update(isa.AtomicUMin, isa.Reg{}, s(1), 4),
			end())
		copy(b.Bytes[4:], "\xff\xff\xff\xff")
		suite.Must(Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{5, 1, 1}}, Options{Threads: 1, Resident: 6, Beside: beside}))(t)
		if got := word(b, 1); got != 64*want {
			t.Errorf("%d beside each other: %d had begun when the first one ended, want %d", beside, got/64, want)
		}
	}
}

func TestWorkersWithoutAWorkgroupAreNotCounted(t *testing.T) {
	store, _, k := kernelOf(t, 64, branch(isa.Branch, 0), end())
	w := &heldWork{grid: newGrid(&Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}), waiting: make(chan struct{}), release: make(chan struct{})}
	enough := errors.New("enough")
	var running uint64
	_, err := RunWork(t.Context(), store, w, Options{Threads: 2, Poll: func(p Progress) error {
		<-w.waiting
		if running = p.RunningWorkgroups; running != 0 {
			close(w.release)
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || running != 1 {
		t.Errorf("%v: %d workgroups have begun, want 1", err, running)
	}
}

// A wave reads from LDS what the other one wrote before the barrier.
func TestWavesMeetAtBarriers(t *testing.T) {
	lane := isa.Inst{Op: isa.LocalIndex, T: isa.I32, Dst: v(1), Class: isa.ClassVALU32}
	at := isa.Inst{Op: isa.IMul, T: isa.I32, Dst: v(0), Src: [4]isa.Reg{v(1), l(4)}, Class: isa.ClassVALU32}
	back := isa.Inst{Op: isa.ISub, T: isa.I32, Dst: v(0), Src: [4]isa.Reg{l(4 * 127), v(0)}, Class: isa.ClassVALU32}
	store, b, k := kernelOf(t, 128, lane, at, move(isa.Store, isa.SpaceLDS),
		isa.Inst{Op: isa.Barrier, Class: isa.ClassBarrier},
		back, move(isa.Load, isa.SpaceLDS), back, move(isa.Store, isa.SpaceBuffer), end())
	c := suite.Must(Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1}))(t)
	for i := range 128 {
		if word(b, i) != uint32(127-i) {
			t.Fatalf("word %d is %d, want %d", i, word(b, i), 127-i)
		}
	}
	if c.Waves != 2 || c.Instructions[isa.ClassVALU32] != 8 || c.Instructions[isa.ClassVMEM] != 6 || c.Instructions[isa.ClassEnd] != 2 {
		t.Errorf("%d waves, %v", c.Waves, c.Instructions)
	}
	if c.MovedBytes[hierarchy.Write] != 512 || c.LDS != 2*512 || c.LDSAccesses != 4 {
		t.Errorf("moved %v, %d of LDS in %d accesses", c.MovedBytes, c.LDS, c.LDSAccesses)
	}
}

// Bytes are counted whether lanes follow each other, lie apart, or lie outside.
func TestMovedBytesOfEveryPattern(t *testing.T) {
	lane := isa.Inst{Op: isa.LocalIndex, T: isa.I32, Dst: v(1), Class: isa.ClassVALU32}
	for _, c := range []struct {
		step  uint64
		bytes uint64
	}{{4, 256}, {8, 256}, {0, 256}, {128, 128}} { // of 4096 bytes
		at := isa.Inst{Op: isa.IMul, T: isa.I32, Dst: v(0), Src: [4]isa.Reg{v(1), l(c.step)}, Class: isa.ClassVALU32}
		store, _, k := kernelOf(t, 64, lane, at, move(isa.Load, isa.SpaceBuffer), move(isa.Store, isa.SpaceBuffer), end())
		did, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1})
		if err != nil || did.MovedBytes[hierarchy.Read] != c.bytes || did.MovedBytes[hierarchy.Write] != c.bytes {
			t.Errorf("%v: %d bytes apart: moved %v, want %d each", err, c.step, did.MovedBytes, c.bytes)
		}
	}
}

// Atomic operations of several workers on one word stay whole, and a part of a grid is that part.
func TestAtomicsOfSeveralWorkers(t *testing.T) {
	for _, c := range []struct {
		first, end uint64
		want       uint32
	}{{0, 0, 64 * 500}, {100, 0, 64 * 400}, {100, 150, 64 * 50}, {490, 1000, 64 * 10}} {
		store, b, k := kernelOf(t, 64, update(isa.AtomicIAdd, v(1), l(1), 0), end())
		did, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{10, 10, 5}, First: c.first, End: c.end}, Options{Threads: 4})
		if err != nil || word(b, 0) != c.want || did.MovedBytes[hierarchy.Atomic] != uint64(4*c.want) {
			t.Errorf("%v: from %d to %d: %d, %d bytes; want %d", err, c.first, c.end, word(b, 0), did.MovedBytes[hierarchy.Atomic], c.want)
		}
	}
}

// The order of a grid is x, then y, then z.
func TestPlaces(t *testing.T) {
	if got := WorkgroupID(1+3*2+12*4, [3]uint32{3, 4, 5}); got != [3]uint32{1, 2, 4} {
		t.Error(got)
	}
}

// A clock counts instructions: it never goes back, and its width is the machine's.
func TestClocksCountInstructions(t *testing.T) {
	clock := isa.Inst{Op: isa.Clock, T: isa.I64, Uniform: true, Dst: s(0), Class: isa.ClassClock}
	store, b, k := kernelOf(t, 64, clock, uniform(isa.IAdd, s(1), s(1), l(1)), uniform(isa.IAdd, s(1), s(1), l(1)), clock,
		update(isa.AtomicStore, isa.Reg{}, s(0), 0), end())
	for bits, want := range map[int]uint32{64: 1004, 3: 1004 & 7} {
		if _, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1, Clock: 1000, ClockBits: bits}); err != nil || word(b, 0) != want {
			t.Errorf("%v: a clock of %d bits says %d, want %d", err, bits, word(b, 0), want)
		}
	}
}

// A loop that never ends is stopped by its context, on one worker and on several, also where its waves
// meet at a barrier in each round. What it did is counted. The context ends at the first print.
func TestAContextEndsARun(t *testing.T) {
	for name, round := range map[string]isa.Inst{"plain": uniform(isa.IAdd, s(1), s(1), l(1)), "barrier": {Op: isa.Barrier, Class: isa.ClassBarrier}} {
		for _, threads := range []int{1, 3} {
			store, _, k := kernelOf(t, 128, isa.Inst{Op: isa.DebugPrint, Class: isa.ClassSALU}, round, branch(isa.Branch, 1), end())
			ctx, cancel := context.WithCancel(context.Background())
			c, err := Run(ctx, store, &Grid{Kernel: k, Groups: [3]uint32{4, 1, 1}}, Options{Threads: threads,
				Print: func(uint64, *program.Program, *isa.State, *isa.Inst) { cancel() }})
			if !errors.Is(err, context.Canceled) || c.Total() < progressInterval {
				t.Errorf("%s, %d threads: %v after %d instructions", name, threads, err, c.Total())
			}
			cancel()
		}
	}
}

// Payload operations outside of a graph are refused; a fault of the simulator's own comes to who called.
func TestFailures(t *testing.T) {
	store, _, k := kernelOf(t, 64, isa.Inst{Op: isa.PayloadFinish, Class: isa.ClassMessage}, end())
	if _, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1}); !errors.Is(err, ErrNoGraph) {
		t.Error(err)
	}
	defer func() {
		if x, _ := recover().(*fault.Panic); x == nil || !strings.Contains(string(x.Stack), "functional.(*worker)") {
			t.Errorf("recovered %v", x)
		}
	}()
	k.Program.Insts[0] = uniform(isa.UMax, s(100), l(1), l(1)) // a register that the program has not
	isa.Resolve(&k.Program.Insts[0])
	_, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{2, 1, 1}}, Options{Threads: 2})
	t.Error(err)
}

// Times are those of a clock of so many MHz, one where it has none.
func TestTimesOfClocks(t *testing.T) {
	for mhz, each := range map[int]uint32{1: 1000, 0: 1000, 500: 2, 100: 10} {
		clock := isa.Inst{Op: isa.Clock, T: isa.I64, Uniform: true, Dst: s(1), Class: isa.ClassClock}
		realtime := isa.Inst{Op: isa.Realtime, T: isa.I64, Uniform: true, Dst: s(2), Class: isa.ClassClock}
		store, b, k := kernelOf(t, 64, clock, realtime, update(isa.AtomicStore, isa.Reg{}, s(1), 0), update(isa.AtomicStore, isa.Reg{}, s(2), 4), end())
		suite.Must(Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1, Resident: 1, Clock: 1000, ClockMHz: mhz}))(t)
		if cycle, time := word(b, 0), word(b, 1); cycle < 1000 || cycle > 1002 || time != each*cycle && time != each*(cycle+1) {
			t.Errorf("%d MHz: cycle %d, %d ns", mhz, cycle, time)
		}
	}
}

// Loads of descriptors count as instructions and bytes though they are not carried out, in a loop and where branches go to them.
func TestLoadsOfDescriptorsAreCounted(t *testing.T) {
	table := &isa.Mem{Access: isa.Access{Space: isa.SpaceTable, Elem: isa.I32, Count: 1}, Words: 4, Scalar: true}
	table.Dsts[0] = s(4)
	descriptor := isa.Inst{Op: isa.Load, T: isa.I32, Class: isa.ClassSMEM, Uniform: true, Mem: table}
	const rounds, groups = 5, 3
	store, b, k := kernelOf(t, 64,
		descriptor,
		uniform(isa.Mov, s(0), l(0)),
		descriptor, // 2
		uniform(isa.IAdd, s(0), s(0), l(1)),
		uniform(isa.IEq, s(3), s(0), l(rounds)),
		branch(isa.BranchFalse, 2, s(3)),
		update(isa.AtomicStore, isa.Reg{}, s(0), 0),
		end())
	c, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{groups, 1, 1}}, Options{Threads: 1})
	if err != nil || word(b, 0) != rounds {
		t.Fatalf("%v, %d rounds of %d", err, word(b, 0), rounds)
	}
	const loads = groups * (1 + rounds)
	if c.Instructions[isa.ClassSMEM] != loads || c.MovedBytes[hierarchy.Read] != 4*loads || c.Issues[k.Program][0].Times != groups || c.Issues[k.Program][2].Times != groups*rounds {
		t.Errorf("%d loads, %d bytes, %d and %d times each: want %d, %d, %d, %d", c.Instructions[isa.ClassSMEM], c.MovedBytes[hierarchy.Read],
			c.Issues[k.Program][0].Times, c.Issues[k.Program][2].Times, loads, 4*loads, groups, groups*rounds)
	}
}

// A loop of one segment is counted each time, with its idle lanes, and ends where a wave's turn does: the first of two waves that loop
// has its clock when the second has had a turn. Whether the branch is taken where its register is 0 or where it is not is the same.
func TestLoopsOfOneStretch(t *testing.T) {
	const rounds, idle = 60000, 3
	// A turn is a segment of 6, and then iterations of 4, each with the taken branch, until instructionsPerTurn is reached.
	const turn = 6 + (instructionsPerTurn-7+4)/5*4
	for _, op := range []isa.Op{isa.BranchTrue, isa.BranchFalse} {
		test := uniform(isa.ULt, s(1), s(0), l(rounds))
		if op == isa.BranchFalse {
			test = uniform(isa.IEq, s(1), s(0), l(rounds))
		}
		sum := uniform(isa.IAdd, v(1), v(1), l(1))
		sum.Uniform = false
		insts := []isa.Inst{
			uniform(isa.Mov, s(0), l(0)),
			uniform(isa.Mov, s(2), l(0)),
			sum, // 2
			uniform(isa.IAdd, s(0), s(0), l(1)),
			test,
			branch(op, 2, s(1)),
			{Op: isa.Clock, T: isa.I64, Uniform: true, Dst: s(3), Class: isa.ClassClock},
			update(isa.AtomicUMin, isa.Reg{}, s(3), 4),
			move(isa.Store, isa.SpaceBuffer), end()}
		store, b, k := kernelOf(t, 128-idle, insts...)
		copy(b.Bytes[4:], "\xff\xff\xff\xff")
		c := suite.Must(Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1}))(t)
		if got, want := word(b, 1), uint32(6+4*(rounds-1)+1+turn); got != want {
			t.Errorf("the first clock is %d, want %d", got, want)
		}
		if n := c.Issues[k.Program][3]; n.Times != 2*rounds || n.Idle != idle*rounds {
			t.Errorf("%d times with %d idle lanes, want %d and %d", n.Times, n.Idle, 2*rounds, idle*rounds)
		}
	}
}

// What all lanes load from one place of LDS is the same whether the compiler's move of the index is carried out or left to
// the load, in bounds and out of bounds, and is counted once each time; the loop comes back by a branch that is always taken.
func TestLoadsOfOnePlace(t *testing.T) {
	lane := isa.Inst{Op: isa.LaneID, T: isa.I32, Dst: v(0), Class: isa.ClassVALU32}
	vector := func(op isa.Op, dst isa.Reg, src ...isa.Reg) isa.Inst {
		in := uniform(op, dst, src...)
		in.Uniform, in.Class = false, isa.ClassVALU32
		return in
	}
	load := move(isa.Load, isa.SpaceLDS)
	load.Mem.Index, load.Mem.Dsts[0] = v(2), v(2)
	for _, kept := range []bool{false, true} {
		read := vector(isa.Mov, v(3), v(1))
		if kept {
			read = vector(isa.Mov, v(3), v(2)) // of the index
		}
		insts := []isa.Inst{
			lane, vector(isa.Shl, v(0), v(0), l(2)), vector(isa.IAdd, v(1), v(0), l(100)), move(isa.Store, isa.SpaceLDS), // word i is 4i + 100
			uniform(isa.Mov, s(0), l(0)), vector(isa.Mov, v(1), l(0)),
			uniform(isa.ULt, s(1), s(0), l(9)), // 6
			branch(isa.BranchFalse, 15, s(1)),
			uniform(isa.IMul, s(2), s(0), l(1024)),
			vector(isa.Mov, v(2), s(2)),
			read,
			load,
			vector(isa.IAdd, v(1), v(1), v(2)),
			uniform(isa.IAdd, s(0), s(0), l(1)),
			branch(isa.Branch, 6),
			move(isa.Store, isa.SpaceBuffer), end()}
		for i := range insts {
			insts[i].SetDeps(4)
		}
		store, b, k := kernelOf(t, 64, insts...)
		c := suite.Must(Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{1, 1, 1}}, Options{Threads: 1}))(t)
		if word(b, 0) != 100 || word(b, 63) != 100 { // other places than the first are zero or out of bounds
			t.Errorf("sums are %d and %d", word(b, 0), word(b, 63))
		}
		if issues := c.Issues[k.Program]; issues[6].Times != 10 || issues[11].Times != 9 || issues[14].Times != 9 || issues[15].Times != 1 {
			t.Errorf("counted %v", issues)
		}
		if c.LDSAccesses != 10 || c.LDS != 10*64*4 || c.LDSFaults == 0 {
			t.Errorf("%d accesses, %d bytes, %d faults of LDS", c.LDSAccesses, c.LDS, c.LDSFaults)
		}
	}
}

// Each workgroup finds its memory cleared, whether the ones before it stored to theirs or only loaded.
func TestWorkgroupsFindTheirMemoryCleared(t *testing.T) {
	vector := func(op isa.Op, dst isa.Reg, src ...isa.Reg) isa.Inst {
		in := uniform(op, dst, src...)
		in.Uniform, in.Class = false, isa.ClassVALU32
		return in
	}
	for _, stores := range []bool{false, true} {
		insts := []isa.Inst{vector(isa.Mov, v(0), l(64)), move(isa.Load, isa.SpaceLDS), vector(isa.IAdd, v(2), v(1), l(7)), move(isa.Store, isa.SpaceBuffer)}
		insts[3].Mem.Data[0] = v(2)
		if stores {
			store := move(isa.Store, isa.SpaceLDS)
			store.Mem.Data[0] = v(2)
			insts = append(insts, store)
		}
		store, b, k := kernelOf(t, 64, append(insts, end())...)
		if _, err := Run(context.Background(), store, &Grid{Kernel: k, Groups: [3]uint32{5, 1, 1}}, Options{Threads: 1}); err != nil || word(b, 16) != 7 {
			t.Errorf("stores %t: %v, the last workgroup found %d", stores, err, word(b, 16)-7)
		}
	}
}
