package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spvsim/cu"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/scheduler"
	"spvsim/simd"
)

// An output reaches the nodes of its name from its base index on: of an array those below its size, of a single one that alone.
// An array that is not sparse has a node at each index below its size, whatever its base index.
func TestOutputsReachTheirNodes(t *testing.T) {
	for mask := range 16 {
		var nodes []*Node
		for i := range uint32(4) {
			if mask>>i&1 != 0 {
				nodes = append(nodes, &Node{Name: "b", Index: i}, &Node{Name: "c", Index: i})
			}
		}
		g := &Graph{Nodes: nodes, byRef: map[program.NodeRef]*Node{}}
		for _, n := range nodes {
			g.byRef[program.NodeRef{Name: n.Name, Index: n.Index}] = n
		}
		for base := range uint32(3) {
			for size := range uint32(4) {
				for form := range 4 {
					sized, sparse := form&1 != 0, form&2 != 0
					o := &output{Output: &program.Output{Node: "b", BaseIndex: base, ArraySize: size, Sized: sized, Sparse: sparse}, targets: map[uint32]*Node{}}
					g.connectTargets(o)
					whole := true
					for i := range uint32(4) {
						there := mask>>i&1 != 0
						want, must := i >= base, false
						switch {
						case sized:
							want, must = i >= base && i < size, i < size
						case !sparse:
							want, must = i == base, i == base
						}
						if want = want && there; (o.targets[i] != nil) != want {
							t.Errorf("nodes %b, %+v: reaches %d: %t", mask, *o.Output, i, !want)
						}
						whole = whole && (there || !must)
					}
					if err := g.checkIndexes(&Node{}, o); (err == nil) != (sparse || whole) {
						t.Errorf("nodes %b, %+v: %v", mask, *o.Output, err)
					}
					if len(o.list) != len(o.targets) {
						t.Errorf("nodes %b, %+v: %d in the list, %d by index", mask, *o.Output, len(o.list), len(o.targets))
					}
				}
			}
		}
	}
}

// Nodes share the input of a node of the graph that has one of its own, of the same size; neither is it recursive nor are there too many.
func TestSharingAnInput(t *testing.T) {
	sharer := func(name string, of string) *Node {
		n := node(name, 0)
		n.Program.Node.SharesInput = &program.NodeRef{Name: of}
		return n
	}
	wide, recursive, tracks, blind := sharer("s", "b"), sharer("s", "b"), sharer("s", "b"), sharer("s", "b")
	blind.Program.Node.Input = nil
	wide.Program.Node.Input = &program.PayloadType{Bytes: 8, MaxPayloads: 1}
	recursive.Program.Node.MaxRecursion = 1
	tracks.Program.Node.Input = &program.PayloadType{Bytes: 4, MaxPayloads: 1, TrackFinish: true}
	many := func(n int) (list []*Node) {
		list = []*Node{node("b", 0)}
		for i := range n {
			list = append(list, sharer(fmt.Sprint("s", i), "b"))
		}
		return list
	}
	for _, c := range []struct {
		nodes []*Node
		want  string
	}{
		{[]*Node{node("b", 0), sharer("s", "b")}, ""},
		{[]*Node{node("b", 0), sharer("s", "c")}, "shares the input of c[0], which is not in the graph"},
		{[]*Node{sharer("s", "s")}, "which has none of its own"},
		{[]*Node{node("b", 0), sharer("s", "b"), sharer("u", "s")}, "which has none of its own"},
		{[]*Node{node("b", 0), wide}, "but its payload has 8 bytes, not 4"},
		{[]*Node{node("b", 0), recursive}, "shares an input and can't be recursive"},
		{[]*Node{node("b", 0), blind}, ""},
		{[]*Node{node("b", 0), tracks}, "node s[0] and b[0], whose input it shares, do not agree in TrackFinishWritingAMDX"},
		{many(maxSharing - 1), ""},
		{many(maxSharing), "more than 256 nodes share the input of b[0]"},
		{[]*Node{node("a", 0, to("s", 1, 1)), node("b", 0), sharer("s", "b")}, "enqueues to s[0], which shares the input of b[0]"},
	} {
		g, err := NewGraph(c.nodes, leastLimits)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.nodes, err, c.want)
		}
		if err != nil {
			continue
		}
		for _, n := range g.Nodes {
			shares := n.base != nil
			if err := n.Dispatchable(); (err == nil) == shares {
				t.Errorf("%v for the host: %v", n, err)
			}
			if want := g.Nodes[0]; shares && n.entry() != want || !shares && n.entry() != n {
				t.Errorf("%v begins at %v", n, n.entry())
			}
		}
	}
	inner := node("n", 0)
	if inner.meta.APIEntry = false; inner.Dispatchable() == nil {
		t.Error("a node that is not for the host is taken from it")
	}
}

// Each axis and the product of a grid are bounded, to the last workgroup.
func TestLimitsOfGrids(t *testing.T) {
	for grid, ok := range map[[3]uint32]bool{
		{1, 1, 1}: true, {maxAxis, 1, 1}: true, {maxAxis + 1, 1, 1}: false, {1, maxAxis + 1, 1}: false, {1, 1, maxAxis + 1}: false, {0, 5, 5}: true,
		{maxAxis, 256, 1}: true, {maxAxis, 257, 1}: false, {4096, 4096, 1}: false, {4095, 4097, 1}: true, {256, 256, 256}: false, {255, 256, 257}: true,
	} {
		if err := checkGrid(&Node{}, grid); (err == nil) != ok {
			t.Errorf("%v: %v", grid, err)
		}
		n := node("n", 0)
		n.Program.Node.Workgroups = grid
		if _, err := NewGraph([]*Node{n}, leastLimits); (err == nil) != ok {
			t.Errorf("a node of %v: %v", grid, err)
		}
	}
	n := node("n", 0)
	n.meta.Workgroups = [3]uint32{4, 5, 6}
	for grid, ok := range map[[3]uint32]bool{{4, 5, 6}: true, {0, 0, 0}: true, {5, 1, 1}: false, {1, 6, 1}: false, {1, 1, 7}: false} {
		if err := n.checkCount(grid); (err == nil) != ok {
			t.Errorf("%v of at most 4 x 5 x 6: %v", grid, err)
		}
	}
	n.meta.Workgroups = [3]uint32{}
	if n.checkCount([3]uint32{5000, 1, 1}) != nil || n.checkCount([3]uint32{maxAxis + 1, 1, 1}) == nil {
		t.Error("a node without a most takes what an implementation does not, or does not take what it does")
	}
}

// NodeMaxPayloadsAMDX counts once for the workgroup and once for each invocation that may allocate; outputs that share limits share
// the one of the output that they name, with payloads of the largest of them. What is reserved and what is printed is the sum, as far
// as the machine's limits of a workgroup go.
func TestNodeAllowance(t *testing.T) {
	for form := range 4 {
		own, sharing, other, self := to("b", 5, 1), to("c", 200, 1), to("b", 7, 1), to("a", 2, 1)
		own.Workgroup, own.Invocation = form&1 != 0, form&2 != 0
		sharing.Bytes, sharing.SharesLimits, sharing.Workgroup = 20, 0, false
		a, b, c := node("a", 0, own, sharing, other, self), node("b", 0), node("c", 0)
		a.Program.LocalSize, c.Program.Node.Input.Bytes = [3]uint32{2, 3, 4}, 20
		a.Program.Node.MaxRecursion, a.Program.Node.Recursive = 1, true
		limits := limitsOf(32, 100, 136)
		g, err := NewGraph([]*Node{a, b, c}, limitsOf(32, 256, 32768))
		if err != nil {
			t.Fatal(err)
		}
		// 5, 120 or 125 payloads of 20 bytes, in 32 of memory each; seven and two of 4, in 16. The last recursion has none for itself.
		n := map[int]uint64{0: 5, 1: 5, 2: 5 * 24, 3: 5 * 25}[form]
		if got, want := g.allowance(a, true), (allowance{n + 9, n*20 + 9*4, n*32 + 9*16}); got != want {
			t.Errorf("by the workgroup %t, by invocations %t: %+v, want %+v", own.Workgroup, own.Invocation, got, want)
		}
		if got, want := g.allowance(a, false), (allowance{n + 7, n*20 + 7*4, n*32 + 7*16}); got != want {
			t.Errorf("without recursion: %+v, want %+v", got, want)
		}
		for _, s := range a.stages {
			if want := g.allowance(a, s.remaining > 0).memory; s.worst != want {
				t.Errorf("%d bytes are reserved with %d recursions left, want %d", s.worst, s.remaining, want)
			}
		}
		var text strings.Builder
		spec := defaultQueue("hardware")
		want := fmt.Sprintf("a workgroup allocates at most %d payloads, %d bytes (%d of payload memory)", n+9, n*20+9*4, n*32+9*16)
		if err := g.WriteText(&text, &Description{Spec: &spec}); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("%v: %s", err, text.String())
		}
		// A machine that allows a workgroup 100 payloads and 136 bytes reserves no more: what 14 payloads declare fits exactly.
		a, b, c = node("a", 0, own, sharing, other, self), node("b", 0), node("c", 0)
		a.Program.LocalSize, c.Program.Node.Input.Bytes = [3]uint32{2, 3, 4}, 20
		a.Program.Node.MaxRecursion, a.Program.Node.Recursive = 1, true
		if g, err = NewGraph([]*Node{a, b, c}, limits); err != nil {
			t.Fatal(err)
		}
		if got := g.allowance(a, true); got.payloads > 100 || got.bytes > 136 || got.memory > 136+100*15 {
			t.Errorf("by the workgroup %t, by invocations %t: %+v exceeds the machine's limits", own.Workgroup, own.Invocation, got)
		}
		for _, most := range []scheduler.GraphLimits{limitsOf(32, 14, 136), limitsOf(32, 13, 136), limitsOf(32, 14, 135)} {
			_, err := NewGraph([]*Node{a, b, c}, most)
			if fits := most.MaxPayloads == 14 && most.MaxPayloadBytes == 136; (err == nil) != fits {
				t.Errorf("under %+v: %v", most, err)
			}
		}
	}
}

// What a workgroup reserves holds whatever it may allocate: payloads of each output within the limits, each in whole multiples of
// payloadAlignment and at least one, which one without bytes takes too.
func TestAllowanceHoldsWhatAWorkgroupMayAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1079))
	for range 300 {
		var outs []program.Output
		for i := range 1 + r.IntN(3) {
			o := to(fmt.Sprint(i), 1+r.Uint32N(2), 1)
			o.Bytes, o.Workgroup, o.Invocation = []uint32{0, 1, 4, 16, 20}[r.IntN(5)], true, r.IntN(2) == 0
			if i > 0 && r.IntN(3) == 0 {
				o.SharesLimits, o.MaxPayloads = 0, outs[0].MaxPayloads
			}
			outs = append(outs, o)
		}
		a := node("a", 0, outs...)
		a.Program.LocalSize = [3]uint32{1 + r.Uint32N(3), 1, 1}
		nodes := []*Node{a}
		for i := range outs {
			n := node(fmt.Sprint(i), 0)
			n.Program.Node.Input.Bytes = outs[i].Bytes
			nodes = append(nodes, n)
		}
		limits := limitsOf(32, 6+r.IntN(4), 120+r.IntN(40))
		g := suite.Must(NewGraph(nodes, limits))(t)
		left := make([]uint64, len(outs)) // of each output's limit
		for i := range a.outputs {
			left[i] = a.outputs[i].limit
		}
		var most func(from int, payloads, bytes uint64) uint64
		most = func(from int, payloads, bytes uint64) (memory uint64) {
			for i := from; i < len(outs) && payloads > 0; i++ {
				root, size := &left[a.outputs[i].root], uint64(outs[i].Bytes)
				if *root > 0 && size <= bytes {
					*root--
					memory = max(memory, max(16, (size+15)&^15)+most(i, payloads-1, bytes-size))
					*root++
				}
			}
			return memory
		}
		if got, want := g.allowance(a, true), most(0, uint64(limits.MaxPayloads), uint64(limits.MaxPayloadBytes)); got.memory < want {
			t.Fatalf("%+v reserves for outputs %+v of %v invocations under %+v: they may take %d bytes", got, outs, a.Program.LocalSize, limits, want)
		}
	}
}

// The most memory that a dispatch can use is that of all payloads that can be made, each counted with those that it makes.
func TestMaximumBytesOfAllPayloads(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 2 + r.IntN(4)
		nodes := make([]*Node, n)
		for i := range nodes {
			var outs []program.Output
			for k := i + 1; k < n; k++ {
				if r.IntN(2) == 0 {
					outs = append(outs, to(fmt.Sprint(k), 1+r.Uint32N(3), 1))
				}
			}
			recursion := r.Uint32N(3)
			if recursion > 0 {
				outs = append(outs, to(fmt.Sprint(i), 1+r.Uint32N(2), 1))
			}
			nodes[i] = node(fmt.Sprint(i), 0, outs...)
			nodes[i].Program.Node.MaxRecursion, nodes[i].Program.Node.Recursive = recursion, recursion > 0
			nodes[i].Program.Node.Workgroups = [3]uint32{1 + r.Uint32N(2), 1, 1 + r.Uint32N(2)}
		}
		var made func(n *Node, left uint32) uint64 // bytes that a payload's workgroups make, with all that follows
		made = func(n *Node, left uint32) (sum uint64) {
			for _, o := range n.Program.Node.Outputs {
				k := slices.IndexFunc(nodes, func(t *Node) bool { return t.Name == o.Node })
				next := nodes[k].Program.Node.MaxRecursion
				if nodes[k] == n {
					if left == 0 {
						continue
					}
					next = left - 1
				}
				sum += uint64(o.MaxPayloads) * (payloadAlignment + made(nodes[k], next))
			}
			w := n.Program.Node.Workgroups
			return sum * uint64(w[0]*w[1]*w[2])
		}
		g := suite.Must(NewGraph(nodes, leastLimits))(t)
		counts, want := map[*Node]uint64{}, uint64(0)
		for _, n := range nodes {
			counts[n] = uint64(r.IntN(3))
			want += counts[n] * made(n, n.Program.Node.MaxRecursion)
		}
		if got := g.MaximumBytes(counts); got != max(want, g.MinimumBytes()) && want < maximumCap {
			t.Fatalf("at most %d bytes, want %d", got, want)
		}
	}
}

// resident has something done with a workgroup of a node on a rig, which has a payload of the node as its input, while a wave of another one issues.
func resident(t *testing.T, change func(n *Node), do func(r *queueRig, g *workgroup, input int32, w *simd.Wave)) {
	t.Helper()
	n := node("n", 0)
	n.Program.Node.Input.TrackFinish = true
	r := newQueueRig(t, defaultQueue("hardware"), false, n)
	done := false
	r.OnPrint = func(wave *simd.Wave) {
		done = true
		change(n)
		p := r.run.pool
		e := suite.Must(p.allocate(4, false))(t)
		input := p.newArray(n.stages[0])
		p.arrays[input].elems = []int32{e}
		x := &p.payloads[e]
		x.state, x.input, x.unfinished = payloadQueued, input, 2
		l := &nodeLaunch{GridLaunch: scheduler.GridLaunch{Code: &cu.KernelLaunch{Resources: n.Launch.Resources}, Total: 2}, stage: n.stages[0], input: input}
		l.Code.Resources.Waves = 2
		do(r, r.run.workgroups.newWorkgroup(l, 0), input, wave)
		r.Engine.Fail(errDone)
	}
	var accepted uint64
	r.enqueue(t, begin, n, 1, &accepted)
	if err := r.Engine.Run(); err == nil || !done {
		t.Fatalf("no wave came: %v", err)
	}
}

var errDone = errors.New("done")

// finishing has a wave of a group say that it has written a payload, and returns whether all have.
func finishing(g *workgroup, w *simd.Wave, handle uint64, wave uint32) bool {
	st := &isa.State{Lanes: 64, Exec: 1, S: make([]uint64, 8), WaveInGroup: wave}
	in := &isa.Inst{Op: isa.PayloadFinish, T: isa.Bool, Uniform: true, Dst: isa.S(2), Src: [4]isa.Reg{isa.Lit(handle)}}
	g.finishWriting(&waveOp{st: st, in: in, wave: w})
	return st.S[2] != 0
}

// A workgroup is told whether all that can access its payload have said that they have written it; of its own input alone, where the payload
// keeps track of it.
func TestFinishWritingRules(t *testing.T) {
	for _, c := range []struct {
		change func(n *Node)
		host   bool
		wrong  bool // another handle
		want   string
	}{
		{want: ""},
		{wrong: true, want: "something else than the node's input payload"},
		{change: func(n *Node) { n.meta.Launch = program.Coalescing }, want: "is called by a coalescing node"},
		{change: func(n *Node) { n.base = n }, want: ""},
		{host: true, want: "a payload that the host dispatched"},
		{change: func(n *Node) { n.meta.Input = &program.PayloadType{Bytes: 4} }, want: "without TrackFinishWritingAMDX"},
		{change: func(n *Node) { n.meta.Input = nil }, want: "without TrackFinishWritingAMDX"},
	} {
		if c.change == nil {
			c.change = func(*Node) {}
		}
		resident(t, c.change, func(r *queueRig, g *workgroup, input int32, w *simd.Wave) {
			p := r.run.pool
			p.payloads[p.arrays[input].elems[0]].host = c.host
			handle := p.handle(input)
			if c.wrong {
				handle = p.handle(p.newArray(g.stage))
			}
			finishing(g, w, handle, 0)
			if err := r.Engine.Err(); c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrFault) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	resident(t, func(*Node) {}, func(r *queueRig, g *workgroup, input int32, w *simd.Wave) {
		p := r.run.pool
		handle, x := p.handle(input), &p.payloads[p.arrays[input].elems[0]]
		finishing(g, w, handle, 0)
		if last := finishing(g, w, handle, 1); x.unfinished != 1 || len(g.calls) != 0 || last {
			t.Errorf("two waves of one of two workgroups: %d unfinished, calls %v, last %t", x.unfinished, g.calls, last)
		}
		if last := finishing(g, w, handle, 0); x.unfinished != 1 || last {
			t.Errorf("the first workgroup a second time: %d unfinished, last %t", x.unfinished, last)
		}
		other := r.run.workgroups.newWorkgroup(g.launch, 0)
		if last := finishing(other, w, handle, 0); x.unfinished != 0 || !last {
			t.Errorf("the second workgroup: %d unfinished, last %t", x.unfinished, last)
		}
		if !finishing(other, w, handle, 1) || !finishing(other, w, handle, 0) || r.Engine.Err() != nil {
			t.Errorf("its other wave, and a second time: not all have called it, %v", r.Engine.Err())
		}
	})
}

// A workgroup reads its inputs and writes what it has allocated and not enqueued, to the last byte and no further.
func TestPayloadsThatMayBeAccessed(t *testing.T) {
	resident(t, func(*Node) {}, func(r *queueRig, g *workgroup, input int32, _ *simd.Wave) {
		p := r.run.pool
		take := func(owner *workgroup, state payloadState) *payload {
			e := suite.Must(p.allocate(20, false))(t)
			a := p.newArray(g.stage)
			p.arrays[a].owner, p.arrays[a].elems = owner, []int32{e}
			x := &p.payloads[e]
			x.array, x.state = a, state
			return x
		}
		in := &p.payloads[p.arrays[input].elems[0]]
		own, others, gone := take(g, payloadAllocated), take(r.run.workgroups.newWorkgroup(g.launch, 0), payloadAllocated), take(g, payloadQueued)
		for _, c := range []struct {
			addr, size uint64
			want       string
		}{
			{own.addr, 20, ""}, {own.addr + 16, 4, ""}, {own.addr, 21, "beyond the end"}, {own.addr + 17, 4, "bytes 17 to 21 of 20"}, {in.addr, 4, ""}, {in.addr, 5, "beyond the end"},
			{others.addr, 4, "not this workgroup's"}, {gone.addr, 4, "after it was enqueued"}, {nowhere, 4, "does not exist"}, {1, 4, "does not exist"},
		} {
			for _, write := range []bool{false, true} {
				if got := g.accessFault(c.addr, c.size, write); c.want == "" && got != "" || !strings.Contains(got, c.want) {
					t.Errorf("%d bytes at %#x, a write %t: %q, want %q", c.size, c.addr, write, got, c.want)
				}
			}
		}
		// A run that is checked reports these, and goes on.
		mine := func(x *payload, enqueued bool) {
			p.arrays[x.array].target, p.arrays[x.array].enqueued, p.arrays[x.array].enqueue = g.stage, enqueued, isa.EnqueuePoint{PC: 7}
			g.arrays, x.size = []int32{x.array}, 20
		}
		mine(gone, true)
		if m := misuseOf(g, gone.addr+4, 4); m == nil || m.Kind != isa.AfterEnqueue || m.Offset != 4 || m.Enqueue.PC != 7 {
			t.Errorf("a payload after its enqueue: found misuse %+v", m)
		}
		if m := misuseOf(g, gone.addr+17, 4); m != nil {
			t.Errorf("beyond its end: found misuse %+v, want none", m)
		}
		for _, state := range []payloadState{payloadFree, payloadAllocated} { // free, and of another workgroup since
			gone.state, gone.array = state, others.array
			if m := misuseOf(g, gone.addr, 4); m == nil || m.Kind != isa.AfterRelease {
				t.Errorf("a payload after its release, in state %d: found misuse %+v", state, m)
			}
		}
		if m := misuseOf(g, others.addr, 4); m != nil {
			t.Errorf("a payload that the workgroup never had: found misuse %+v, want none", m)
		}
		// Inputs of a workgroup of several payloads are those of its array; a node that shares them only reads.
		if in.input = 0; g.accessFault(in.addr, 4, true) != "" {
			t.Error("an input that another launch has read since is not the workgroup's")
		}
		if g.base = g.Node; g.accessFault(in.addr, 4, false) != "" || !strings.Contains(g.accessFault(in.addr, 4, true), "which it may only read") {
			t.Error("a shared input is written, or not read")
		}
	})
}

// Each lane's payloads are for the node of its index, over the output's base; a node enqueues to itself while its recursion lasts.
func TestTargetsOfPayloads(t *testing.T) {
	b := []*Node{node("b", 2), node("b", 3), node("b", 5)}
	o := to("b", 1, 0)
	o.BaseIndex, o.Sparse, o.Sized = 2, true, false
	self := to("a", 1, 1)
	a := node("a", 0, o, self)
	a.Program.Node.MaxRecursion, a.Program.Node.Recursive = 2, true
	g := suite.Must(NewGraph(append([]*Node{a}, b...), leastLimits))(t)
	for _, s := range g.Nodes[0].stages {
		w := &workgroup{stage: s}
		for index, want := range map[uint64]*Node{0: b[0], 1: b[1], 2: nil, 3: b[2], 4: nil, 1 << 32: nil, 1<<32 - 2: nil} {
			to, ok := w.target(&a.outputs[0], index)
			if ok != (want != nil) || ok && (to.Node != want || to.remaining != 0) || index < 1<<32 && w.Valid(0, uint32(index)) != ok {
				t.Errorf("index %d: %v, %t", index, to, ok)
			}
		}
		to, ok := w.target(&a.outputs[1], 0)
		if ok != (s.remaining > 0) || ok && (to.Node != a || to.remaining != s.remaining-1) {
			t.Errorf("itself with %d left: %v, %t", s.remaining, to, ok)
		}
		if w.Valid(2, 0) {
			t.Error("an output that the node has not is valid")
		}
	}
	for local, want := range map[[4]uint32]uint64{{64, 1, 1, 0}: ^uint64(0), {10, 1, 1, 0}: 1<<10 - 1, {10, 7, 1, 1}: 1<<6 - 1, {4, 4, 4, 0}: ^uint64(0), {65, 1, 1, 1}: 1, {64, 1, 1, 1}: 1} {
		st := &isa.State{Lanes: 64, LocalSize: [3]uint32(local[:3]), WaveInGroup: local[3]}
		if got := firstMask(st); got != want {
			t.Errorf("wave %d of %v has lanes %#x, want %#x", local[3], local[:3], got, want)
		}
	}
	for mask, want := range map[uint64]int{0: 0, 1: 1, 0b101: 1, 0b111: 3} {
		if got := firstMissing(mask); got != want {
			t.Errorf("of %b, wave %d is missing", mask, got)
		}
	}
}
