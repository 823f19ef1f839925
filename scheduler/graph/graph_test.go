package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/cu"
	"spvsim/internal/suite"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/scheduler"
)

// node makes a static node that runs one workgroup of local invocations a payload of 4 bytes.
func node(name string, index uint32, outputs ...program.Output) *Node {
	return &Node{Name: name, Index: index, Shader: "test", Program: &program.Program{
		Name: name, LocalSize: [3]uint32{1, 1, 1}, WaveSize: 64,
		Node: &program.Node{Launch: program.Static, Workgroups: [3]uint32{1, 1, 1}, APIEntry: true,
			Input: &program.PayloadType{Bytes: 4, MaxPayloads: 1}, Outputs: outputs},
	}, Launch: &cu.KernelLaunch{}}
}

// to is an output of most payloads of 4 bytes for the first size nodes of a name.
func to(name string, most, size uint32) program.Output {
	return program.Output{PayloadType: program.PayloadType{Bytes: 4, MaxPayloads: most, IsArray: true},
		Node: name, ArraySize: size, Sized: true, SharesLimits: -1, Workgroup: true}
}

func limitsOf(depth, payloads, bytes int) scheduler.GraphLimits {
	return scheduler.GraphLimits{MaxDepth: depth, MaxPayloads: payloads, MaxPayloadBytes: bytes}
}

// outputs are n that share the limits of the first.
func outputs(n int) (list []program.Output) {
	for i := range n {
		o := to("b", 1, 1)
		if i > 0 {
			o.SharesLimits = 0
		}
		list = append(list, o)
	}
	return list
}

func TestGraphLevelsAndMemory(t *testing.T) {
	// a goes to b and c, b to c; b may recur twice. c is after all of b's levels.
	a, b, c := node("a", 0, to("b", 2, 1), to("c", 3, 1)), node("b", 0, to("b", 5, 1), to("c", 1, 1)), node("c", 0)
	b.Program.Node.MaxRecursion, b.Program.Node.Recursive = 2, true
	g := suite.Must(NewGraph([]*Node{a, b, c}, leastLimits))(t)
	var levels []string
	for _, s := range g.stages {
		levels = append(levels, fmt.Sprintf("%v/%d at %d: %d", s.Node, s.remaining, s.level, s.worst))
	}
	// Payloads of 4 bytes take 16. The last level of b can't recur.
	want := "a[0]/0 at 1: 80, b[0]/2 at 2: 96, b[0]/1 at 3: 96, b[0]/0 at 4: 16, c[0]/0 at 5: 0"
	if got := strings.Join(levels, ", "); got != want {
		t.Errorf("levels %s, want %s", got, want)
	}
	if g.Depth != 5 || g.MinimumBytes() != 80+96+96+16 {
		t.Errorf("depth %d, at least %d bytes, want 5 and 288", g.Depth, g.MinimumBytes())
	}
	// Two payloads of a start 4 of b, these 20, these 100.
	if got := g.MaximumBytes(map[*Node]uint64{a: 2}); got != 2*80+4*96+20*96+100*16 {
		t.Errorf("at most %d bytes", got)
	}
}

// A node that shares the input of a recursive one is at its levels, and what it enqueues to comes after the last of them.
func TestLevelsOfSharers(t *testing.T) {
	a, b, s, c := node("a", 0, to("b", 1, 1)), node("b", 0, to("b", 1, 1)), node("s", 0, to("c", 1, 1)), node("c", 0)
	b.Program.Node.MaxRecursion, b.Program.Node.Recursive = 29, true
	s.Program.Node.SharesInput = &program.NodeRef{Name: "b"}
	g := suite.Must(NewGraph([]*Node{c, s, b, a}, leastLimits))(t)
	for n, want := range map[*Node]string{a: "level 1", b: "levels 2 to 31", s: "levels 2 to 31", c: "level 32"} {
		if got := n.levelText(); got != want {
			t.Errorf("%v is at %s, want %s", n, got, want)
		}
	}
	if g.Depth != 32 {
		t.Errorf("depth %d, want 32", g.Depth)
	}
	b.Program.Node.MaxRecursion = 30
	for _, n := range []*Node{a, b, s, c} {
		n.base, n.sharers = nil, nil
	}
	if _, err := NewGraph([]*Node{c, s, b, a}, leastLimits); err == nil || !strings.Contains(err.Error(), "node c[0] reaches depth 33") {
		t.Errorf("a level more: %v", err)
	}
	back := node("s", 0, to("b", 1, 1))
	back.Program.Node.SharesInput = &program.NodeRef{Name: "b"}
	if _, err := NewGraph([]*Node{node("b", 0), back}, leastLimits); err == nil || !strings.Contains(err.Error(), "enqueue in a cycle") {
		t.Errorf("a node that enqueues to the one whose input it shares: %v", err)
	}
}

// A payload that starts several workgroups counts as often as they may write.
func TestMaximumCountsWorkgroups(t *testing.T) {
	a, b := node("a", 0, to("b", 2, 1)), node("b", 0)
	a.Program.Node.Workgroups = [3]uint32{3, 2, 1}
	g := suite.Must(NewGraph([]*Node{a, b}, leastLimits))(t)
	// Each of the six workgroups of a payload of a writes two payloads of 16 bytes.
	if got, want := g.MaximumBytes(map[*Node]uint64{a: 5}), uint64(5*6*2*16); got != want {
		t.Errorf("at most %d bytes, want %d", got, want)
	}
}

func TestGraphFaultsByName(t *testing.T) {
	many := to("b", 256, 1)
	large := to("b", 256, 1)
	large.Bytes = 129
	wide := node("b", 0)
	wide.Program.Node.Input.Bytes = 129
	tracks, blind := node("b", 0), node("b", 0)
	tracks.Program.Node.Input.TrackFinish, blind.Program.Node.Input = true, nil
	cases := []struct {
		name  string
		nodes []*Node
		want  string
	}{
		{"256 payloads", []*Node{node("a", 0, many), node("b", 0)}, ""},
		{"257 payloads", []*Node{node("a", 0, many, to("b", 1, 1)), node("b", 0)}, "node a[0]: 257 payloads in one workgroup: want at most 256"},
		{"256 outputs", []*Node{node("a", 0, outputs(256)...), node("b", 0)}, ""},
		{"257 outputs", []*Node{node("a", 0, outputs(257)...), node("b", 0)}, "node a[0]: 257 outputs: want at most 256"},
		{"payload bytes", []*Node{node("a", 0, large), wide}, "node a[0]: 33024 bytes of payloads in one workgroup: want at most 32768"},
		{"sizes", []*Node{node("a", 0, to("b", 1, 1)), wide}, "node a[0] enqueues payloads of 4 bytes to b[0], whose payload has 129"},
		{"finish writing", []*Node{node("a", 0, to("b", 1, 1)), tracks}, "node a[0] and its target b[0] do not agree in TrackFinishWritingAMDX"},
		{"no input", []*Node{node("a", 0, to("b", 1, 1)), blind}, ""},
		{"cycle", []*Node{node("a", 0, to("b", 1, 1)), node("b", 0, to("a", 1, 1))}, "nodes enqueue in a cycle: a[0] from b[0] from a[0]"},
		{"self", []*Node{node("a", 0, to("a", 1, 1))}, "node a[0] enqueues to itself without MaxNodeRecursionAMDX"},
		{"hole", []*Node{node("a", 0, to("b", 1, 2)), node("b", 0)}, "node a[0] enqueues to b[1], which is not in the graph"},
		{"twice", []*Node{node("a", 0), node("a", 0)}, "found two nodes a[0]: want one"},
		{"kinds", []*Node{node("b", 0), func() *Node { n := node("b", 1); n.Program.Node.Launch = program.Coalescing; return n }()}, "nodes b[0] and b[1] differ in launch kind"},
	}
	for _, depth := range []int{leastLimits.MaxDepth, leastLimits.MaxDepth + 1} {
		var chain []*Node
		for i := range depth - 1 {
			chain = append(chain, node(fmt.Sprint(i), 0, to(fmt.Sprint(i+1), 1, 1)))
		}
		c := cases[0]
		c.name, c.nodes = fmt.Sprintf("depth %d", depth), append(chain, node(fmt.Sprint(depth-1), 0))
		if depth > leastLimits.MaxDepth {
			c.want = "reaches depth 33: want at most 32"
		}
		cases = append(cases, c)
	}
	for _, c := range cases {
		_, err := NewGraph(c.nodes, leastLimits)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// poolOf is a pool of a graph that leaves nothing to deeper levels.
func poolOf(onChip, scratch uint64) *pool {
	return newPool(&Graph{deeper: []uint64{0}}, mem.NewStore(0), &account.QueueCounts{}, onChip, scratch)
}

func TestPoolGivesPlacesBack(t *testing.T) {
	p := poolOf(64, 1000)
	var list []int32
	for range 6 {
		i, err := p.allocate(20, false) // takes 32 bytes
		if err != nil {
			t.Fatal(err)
		}
		p.reserved += p.payloads[i].charged
		list = append(list, i)
	}
	onChip := 0
	for _, i := range list {
		if p.payloads[i].onChip {
			onChip++
		}
		if x := &p.payloads[i]; p.find(x.addr) != i || p.find(x.addr+31) != i {
			t.Errorf("payload %d is not found at its address", i)
		}
	}
	if onChip != 2 || p.spilled != 4 || p.freeBytes(0) != 1064-6*32 {
		t.Errorf("%d on chip, %d spilled, %d bytes left", onChip, p.spilled, p.freeBytes(0))
	}
	p.payloads[list[0]].data[3] = 7
	for _, i := range list {
		p.release(i)
	}
	if p.freeBytes(0) != 1064 || p.chipUsed != 0 {
		t.Errorf("%d bytes left, %d used on chip after all were freed", p.freeBytes(0), p.chipUsed)
	}
	again, err := p.allocate(20, false)
	if err != nil || p.payloads[again].data[3] != 0 {
		t.Errorf("a payload is not zero when it is given out again (%v)", err)
	}
	if p.find(1) != 0 || p.find(nowhere) != 0 {
		t.Error("a payload is found where there is none")
	}
}

func TestHandleOfDroppedArray(t *testing.T) {
	p := poolOf(0, 100)
	i := p.newArray(nil)
	old := p.handle(i)
	p.dropArray(i)
	k := p.newArray(nil)
	if p.lookup(old) != 0 || p.lookup(p.handle(k)) != k || p.lookup(0) != 0 || p.lookup(1<<40) != 0 {
		t.Error("a handle names another array than its own")
	}
}

func TestPortRate(t *testing.T) {
	p := port{gap: scheduler.RateGap(4)}
	for _, c := range []struct {
		now  uint64
		n    int
		want uint64
	}{{10, 0, 10}, {10, 4, 10}, {10, 1, 11}, {10, 4, 12}, {100, 9, 102}} {
		if got := p.book(c.now, c.n); got != c.want {
			t.Errorf("%d payloads in cycle %d are in by %d, want %d", c.n, c.now, got, c.want)
		}
	}
}

// A payload starts the product of its grid, and of that of each node that shares it, which is held to its own most. All of them can access it.
func TestSizeOfAPayload(t *testing.T) {
	base, sharer := node("base", 0), node("sharer", 0)
	base.meta.Launch, base.meta.Workgroups = program.Static, [3]uint32{2, 3, 4}
	sharer.meta.Launch, sharer.meta.Workgroups = program.Dynamic, [3]uint32{5, 1, 1}
	sharer.indirect = &program.Indirect{Components: 1, Bits: 32}
	other := node("static", 0)
	other.meta = *other.Program.Node
	base.sharers = []*Node{other, sharer}
	for _, c := range []struct {
		count byte
		ok    bool
	}{{0, true}, {5, true}, {6, false}} {
		x := &payload{data: []byte{c.count, 0, 0, 0}}
		err := size(x, &stage{Node: base})
		if (err == nil) != c.ok {
			t.Errorf("a sharer of at most 5 workgroups is asked for %d: %v", c.count, err)
		}
		if want := 24 + 1 + uint32(c.count); x.groups != [3]uint32{2, 3, 4} || x.unfinished != want || x.launches != 3 {
			t.Errorf("%v workgroups, %d to finish, %d launches: want 2 x 3 x 4, %d, 3", x.groups, x.unfinished, x.launches, want)
		}
		if want := [][3]uint32{{1, 1, 1}, {uint32(c.count), 1, 1}}; !slices.Equal(x.shared, want) {
			t.Errorf("%v workgroups of those that share it, want %v", x.shared, want)
		}
	}
}

// leastLimits are what every implementation offers.
var leastLimits = scheduler.GraphLimits{MaxDepth: 32, MaxPayloads: 256, MaxPayloadBytes: 32768}

// Graphs are bounded by what the machine says: at a limit they fit, beyond it not.
func TestGraphLimits(t *testing.T) {
	chain := func(depth uint32) []*Node {
		n := node("n", 0, to("n", 1, 1))
		n.Program.Node.MaxRecursion, n.Program.Node.Recursive = depth-1, true
		return []*Node{n}
	}
	for _, c := range []struct {
		limits scheduler.GraphLimits
		depth  uint32
		fits   bool
	}{{leastLimits, 32, true}, {leastLimits, 33, false}, {limitsOf(256, 256, 32768), 256, true}, {limitsOf(256, 256, 32768), 257, false}} {
		g, err := NewGraph(chain(c.depth), c.limits)
		if (err == nil) != c.fits || err == nil && g.Depth != int(c.depth) {
			t.Errorf("depth %d under %+v: %v", c.depth, c.limits, err)
		}
	}
	for _, c := range []struct {
		payloads uint32
		limits   scheduler.GraphLimits
		fits     bool
	}{
		{256, leastLimits, true}, {257, leastLimits, false}, {257, limitsOf(32, 257, 32768), true},
		{8192, limitsOf(32, 8193, 32768), true}, {8193, limitsOf(32, 8193, 32768), false}, {8193, limitsOf(32, 8193, 32772), true},
	} {
		if _, err := NewGraph([]*Node{node("a", 0, to("b", c.payloads, 1)), node("b", 0)}, c.limits); (err == nil) != c.fits {
			t.Errorf("%d payloads of 4 bytes under %+v: %v", c.payloads, c.limits, err)
		}
	}
}
