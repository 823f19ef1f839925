package opt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"spvsim/internal/oracle"
	"spvsim/isa"
	"spvsim/program/ir"
)

// A generator writes random structured programs over the slots of one local
// variable, an input, an output and workgroup memory.
type generator struct {
	*builder
	r     *rapid.T
	l     *ir.Local
	depth int
	loop  []loopTargets
	size  int // statements left
}

type loopTargets struct{ brk, cont *ir.Block }

const (
	slots       = 8
	inputBytes  = 256
	outputBytes = 16*(32+16) + 32 // the last words are for atomics of all lanes
)

// program draws a program; the same draws give the same program.
func program(t *testing.T, r *rapid.T) *ir.Func {
	g := &generator{builder: newBuilder(t), r: r, size: 24}
	g.f.LocalSize = rapid.SampledFrom([][3]uint32{{8, 1, 1}, {4, 2, 1}, {16, 1, 1}}).Draw(r, "local size")
	g.f.LDSBytes = 256
	g.f.Bindings = []ir.Binding{{Count: 1}, {Binding: 1, Count: 1, Writes: true}}
	g.l = &ir.Local{Slots: make([]isa.Type, slots), SlotWords: 1, Name: "v"}
	for i := range g.l.Slots {
		g.l.Slots[i] = isa.I32
	}
	g.f.Locals = []*ir.Local{g.l}
	for i := range uint32(slots) {
		g.store(slot(g.l, i), g.leaf())
	}
	g.statements()
	at := g.op(isa.Shl, isa.I32, g.op(isa.LocalIndex, isa.I32), g.c(5))
	for i := range uint32(slots) {
		m := word(1)
		m.Offset = 4 * i
		g.store(m, at, g.load(slot(g.l, i)))
	}
	g.ret()
	return g.f
}

func (g *generator) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(g.r, name) }

func (g *generator) statements() {
	for range 1 + g.pick("statements", 4) {
		if g.size--; g.size < 0 {
			return
		}
		switch g.pick("statement", 13) {
		case 0, 1, 2:
			g.store(slot(g.l, uint32(g.pick("slot", slots))), g.expression(3))
		case 3:
			g.dynamicStore()
		case 4:
			g.selection()
		case 5:
			g.counted()
		case 6:
			g.sharedStore()
		case 7:
			g.crossLane()
		case 8:
			g.jumpOut()
		case 9:
			g.store(g.ownWord(), g.own(), g.expression(2))
		case 10:
			v := g.f.NewValue(isa.AtomicIAdd, isa.I32, isa.I32, g.own(), g.expression(1))
			g.store(slot(g.l, uint32(g.pick("slot", slots))), g.mem(v, g.ownWord(), 1))
		case 11:
			g.op(isa.MemoryBarrier, isa.Void)
		case 12:
			g.sharedAtomic()
		}
	}
}

// sharedAtomic updates a word that is the same for all lanes. Each word has operations whose order does not matter; the old
// value is used where only one order is possible.
func (g *generator) sharedAtomic() {
	words := [][]isa.Op{{isa.AtomicIAdd, isa.AtomicISub, isa.AtomicIInc, isa.AtomicIDec}, {isa.AtomicXor}, {isa.AtomicAnd}, {isa.AtomicOr},
		{isa.AtomicSMin}, {isa.AtomicSMax}, {isa.AtomicUMin}, {isa.AtomicUMax}}
	at := g.pick("shared word", len(words))
	op := rapid.SampledFrom(words[at]).Draw(g.r, "atomic")
	m := word(1)
	m.Offset, m.Coherent, m.Volatile = 16*(32+16)+4*uint32(at), true, true
	args := []*ir.Value{g.op(isa.And, isa.I32, g.op(isa.NumWorkgroupsX, isa.I32), g.c(8))} // 0
	if op != isa.AtomicIInc && op != isa.AtomicIDec {
		args = append(args, g.expression(g.pick("depth", 2)))
	}
	v := g.mem(g.f.NewValue(op, isa.I32, isa.I32, args...), m, 1)
	if g.f.Invocations() == 8 && g.depth == 0 {
		g.store(slot(g.l, uint32(g.pick("slot", slots))), v)
	}
}

// own is the address of the invocation's part of the output, ownWord one of its
// words, after those that the results go to.
func (g *generator) own() *ir.Value {
	return g.op(isa.Shl, isa.I32, g.op(isa.LocalIndex, isa.I32), g.c(4))
}

func (g *generator) ownWord() ir.Mem {
	m := word(1)
	m.Offset = 16*32 + 4*uint32(g.pick("word", 4))
	return m
}

// dynamicStore writes one of the last four slots, chosen at run time.
func (g *generator) dynamicStore() {
	m := slot(g.l, 4)
	m.Low, m.High = 4, 8
	g.store(m, g.op(isa.And, isa.I32, g.expression(1), g.c(3)), g.expression(2))
}

func (g *generator) sharedStore() {
	own := g.op(isa.Shl, isa.I32, g.op(isa.LocalIndex, isa.I32), g.c(4))
	m := ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Offset: 4 * uint32(g.pick("word", 4))}, Align: 4}
	g.store(m, own, g.expression(2))
}

func (g *generator) crossLane() {
	op := rapid.SampledFrom([]isa.Op{isa.Reduce, isa.ReadFirstLane, isa.ExclusiveScan}).Draw(g.r, "cross")
	v := g.op(op, isa.I32, g.expression(2))
	if op != isa.ReadFirstLane {
		v.Imm = isa.GroupImm(isa.GroupIAdd, 0)
	}
	g.store(slot(g.l, uint32(g.pick("slot", slots))), v)
}

func (g *generator) selection() {
	if g.depth > 2 {
		return
	}
	g.depth++
	bs := g.blocks(2 + g.pick("else", 2))
	merge, sides := bs[0], bs[1:]
	c := g.condition()
	g.cond(c, sides[0], append(sides, merge)[1], merge)
	for _, b := range sides {
		g.at(b)
		g.statements()
		if len(g.b.Succs) == 0 && g.b.Term != ir.Return {
			g.jump(merge)
		}
	}
	g.at(merge)
	g.depth--
}

// counted is a loop whose trips are constant, the same in the wave, or not.
func (g *generator) counted() {
	if g.depth > 1 {
		return
	}
	g.depth++
	bs := g.blocks(4)
	header, body, cont, merge := bs[0], bs[1], bs[2], bs[3]
	limit := []func() *ir.Value{
		func() *ir.Value { return g.c(uint64(g.pick("trips", 5))) },
		func() *ir.Value { return g.op(isa.And, isa.I32, g.op(isa.LaneID, isa.I32), g.c(3)) },
		func() *ir.Value { return g.op(isa.And, isa.I32, g.op(isa.WorkgroupIDX, isa.I32), g.c(3)) },
	}[g.pick("limit", 3)]()
	n := &ir.Local{ID: len(g.f.Locals), Slots: []isa.Type{isa.I32}, SlotWords: 1}
	g.f.Locals = append(g.f.Locals, n)
	g.store(slot(n, 0), g.c(0))
	g.jump(header)
	g.at(header)
	header.Continue = cont
	less := rapid.SampledFrom([]isa.Op{isa.ULt, isa.SLt}).Draw(g.r, "less")
	g.cond(g.op(less, isa.I32, g.load(slot(n, 0)), limit), body, merge, merge)
	g.at(body)
	g.loop = append(g.loop, loopTargets{merge, cont})
	g.store(slot(g.l, 0), g.op(isa.IAdd, isa.I32, g.load(slot(g.l, 0)), g.load(slot(n, 0))))
	g.statements()
	g.jump(cont)
	g.loop = g.loop[:len(g.loop)-1]
	g.at(cont)
	g.store(slot(n, 0), g.op(isa.IAdd, isa.I32, g.load(slot(n, 0)), g.c(1)))
	g.jump(header)
	g.at(merge)
	g.depth--
}

// jumpOut breaks from the loop, continues it or returns, under a condition.
func (g *generator) jumpOut() {
	if len(g.loop) == 0 {
		return
	}
	bs := g.blocks(2)
	out, next := bs[0], bs[1]
	g.cond(g.condition(), out, next, next)
	g.at(out)
	t := g.loop[len(g.loop)-1]
	switch g.pick("out", 3) {
	case 0:
		g.jump(t.brk)
	case 1:
		g.jump(t.cont)
	case 2:
		g.store(slot(g.l, 1), g.expression(1))
		g.jump(t.brk)
	}
	g.at(next)
}

func (g *generator) condition() *ir.Value {
	op := rapid.SampledFrom([]isa.Op{isa.ULt, isa.SLt, isa.IEq, isa.INe}).Draw(g.r, "compare")
	c := g.op(op, isa.I32, g.expression(1), g.expression(1))
	if g.pick("not", 3) == 0 {
		c = g.op(isa.Not, isa.Bool, c)
	}
	return c
}

func (g *generator) leaf() *ir.Value {
	switch g.pick("leaf", 7) {
	case 0:
		return g.c(rapid.SampledFrom([]uint64{0, 1, 2, 3, 7, 8, 0xffffffff, 0x80000000}).Draw(g.r, "const"))
	case 1:
		return g.op(isa.LocalIDX, isa.I32)
	case 2:
		return g.op(isa.WorkgroupIDX, isa.I32)
	case 3:
		return g.op(isa.LaneID, isa.I32)
	default:
		return g.load(slot(g.l, uint32(g.pick("slot", slots))))
	}
}

func (g *generator) expression(depth int) *ir.Value {
	if depth == 0 {
		return g.leaf()
	}
	switch g.pick("expression", 9) {
	case 0:
		return g.leaf()
	case 1:
		m := word(0)
		m.ReadOnly, m.Offset = true, 4*uint32(g.pick("offset", 4))
		scaled := g.op(isa.Shl, isa.I32, g.op(isa.And, isa.I32, g.expression(depth-1), g.c(31)), g.c(2))
		return g.load(m, scaled)
	case 2:
		own := g.op(isa.Shl, isa.I32, g.op(isa.LocalIndex, isa.I32), g.c(4))
		return g.load(ir.Mem{Access: isa.Access{Space: isa.SpaceLDS, Elem: isa.I32, Offset: 4 * uint32(g.pick("word", 4))}, Align: 4}, own)
	case 3:
		return g.op(isa.Select, isa.I32, g.condition(), g.expression(depth-1), g.expression(depth-1))
	case 4:
		m := slot(g.l, 4)
		m.Low, m.High = 4, 8
		return g.load(m, g.op(isa.And, isa.I32, g.expression(depth-1), g.c(3)))
	}
	if g.pick("read back", 8) == 0 {
		return g.load(g.ownWord(), g.own())
	}
	op := rapid.SampledFrom([]isa.Op{isa.IAdd, isa.ISub, isa.IMul, isa.UDiv, isa.UMod, isa.SDiv, isa.SRem, isa.SMod, isa.And, isa.Or, isa.Xor, isa.Shl, isa.Sar, isa.UMin}).Draw(g.r, "op")
	return g.op(op, isa.I32, g.expression(depth-1), g.expression(depth-1))
}

func interpret(t *testing.T, f *ir.Func) []byte {
	t.Helper()
	in, out := make([]byte, inputBytes), make([]byte, outputBytes)
	for i := range inputBytes / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i*2654435761>>7))
	}
	_, err := oracle.Run(f, oracle.Dispatch{Groups: [3]uint32{1, 1, 1}, WaveSize: 8,
		Descriptors: []oracle.Descriptor{{Data: in}, {Data: out}}, MaxSteps: 1e5})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func printed(f *ir.Func) string {
	var s strings.Builder
	ir.Print(&s, f)
	return s.String()
}

// Random programs leave the same bytes after every pass, and break no rule.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := program(t, r)
		if err := ir.Verify(f); err != nil {
			r.Fatalf("generated: %v\n%s", err, printed(f))
		}
		want := interpret(t, f)
		before := printed(f)
		check = func(pass string, f *ir.Func) {
			if err := ir.Verify(f); err != nil && pass != "bitcasts" {
				r.Fatalf("after %s: %v\nbefore:\n%s\nafter:\n%s", pass, err, before, printed(f))
			}
			if got := interpret(t, f); !bytes.Equal(got, want) {
				r.Fatalf("after %s:\n%s\nbefore:\n%s\nafter:\n%s", pass, firstDifference(want, got), before, printed(f))
			}
			before = printed(f)
		}
		defer func() { check = nil }()
		Run(f, Options{WaveSize: 8, FuseMad: true, FuseMad16: true, LshlAdd: true, Add3: true, SelectBuffers: rapid.Bool().Draw(r, "pointers")})
	})
}

func firstDifference(want, got []byte) string {
	for i := range want {
		if want[i] != got[i] {
			return fmt.Sprintf("byte %d is %#x, want %#x", i, got[i], want[i])
		}
	}
	return "no difference"
}

// watch makes every uniform value report, in the word of binding 2, the bits in
// which active lanes differ.
func watch(f *ir.Func) {
	f.Bindings = append(f.Bindings, ir.Binding{Binding: 2, Count: 1, Writes: true})
	zero, one := f.NewValue(isa.Const, isa.I32, isa.I32), f.NewValue(isa.Const, isa.I32, isa.I32)
	one.Imm = 1
	for _, b := range f.Blocks {
		var code []*ir.Value
		add := func(op isa.Op, args ...*ir.Value) *ir.Value {
			v := f.NewValue(op, isa.I32, isa.I32, args...)
			v.Block = b
			code = append(code, v)
			return v
		}
		report := func(v *ir.Value) {
			if v.Uniform && (v.R == isa.I32 || v.R == isa.Bool) {
				if v.R == isa.Bool {
					v = add(isa.Select, v, one, zero)
				}
				differ := add(isa.Xor, v, add(isa.ReadFirstLane, v))
				add(isa.AtomicOr, zero, differ).Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Binding: 2, Elem: isa.I32, Count: 1}, HasIndex: true, Align: 4}
			}
		}
		for _, v := range b.Phis {
			report(v)
		}
		for _, v := range b.Code {
			code = append(code, v)
			report(v)
		}
		b.Code = code
	}
	entry := f.Blocks[0]
	zero.Block, one.Block = entry, entry
	entry.Code = append([]*ir.Value{zero, one}, entry.Code...)
}

// Values that the analysis calls uniform are the same in all active lanes.
func TestUniformValuesAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := program(t, r)
		Run(f, Options{WaveSize: 8})
		before := printed(f)
		watch(f)
		differ := make([]byte, 4)
		_, err := oracle.Run(f, oracle.Dispatch{Groups: [3]uint32{4, 1, 1}, WaveSize: 8,
			Descriptors: []oracle.Descriptor{{Data: make([]byte, inputBytes)}, {Data: make([]byte, outputBytes)}, {Data: differ}}, MaxSteps: 1e5})
		if err != nil {
			r.Fatal(err)
		}
		if !bytes.Equal(differ, make([]byte, 4)) {
			r.Fatalf("uniform values differ in bits %x:\n%s", differ, before)
		}
	})
}
