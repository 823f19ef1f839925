package program

import (
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// packedIn compiles a function for a machine with packed f32 operations, and returns how many it has of them.
func packedIn(t *testing.T, f *ir.Func) int {
	p := emitted(t, f, &Target{Pairs: Pairs{Packed: true}})
	return len(placesOf(p, func(in *isa.Inst) bool { return in.Class == isa.ClassPacked32 }))
}

// An f32Writer writes a function of f32 operations, in one block unless told otherwise.
type f32Writer struct {
	gen
	index *ir.Value
}

func newF32Writer() *f32Writer {
	f := generateEmpty()
	w := &f32Writer{gen: gen{f: f}}
	w.b = f.NewBlock()
	w.index = w.val(isa.Shl, isa.I32, isa.I32, w.val(isa.LocalIDX, isa.I32, isa.I32), w.constant(4))
	return w
}

func (w *f32Writer) op(op isa.Op, id uint32, component uint8, args ...*ir.Value) *ir.Value {
	v := w.val(op, isa.F32, isa.F32, args...)
	v.SPIRV, v.Component = id, component
	return v
}

func (w *f32Writer) load(offset uint32) *ir.Value {
	v := w.val(isa.Load, isa.F32, isa.F32, w.index)
	v.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: offset, Elem: isa.F32, Count: 1}, HasIndex: true, Align: 4}
	return v
}

// vector writes an operation on four components, and stores each by itself.
func (w *f32Writer) vector(op isa.Op) {
	x, of := w.load(0), [4]*ir.Value{}
	for k := range of {
		of[k] = w.load(uint32(512 * (k + 1)))
	}
	for k, y := range of {
		of[k] = w.op(op, 7, uint8(k), x, y)
	}
	for k, v := range of {
		w.store(uint32(512*(k+8)), v)
	}
}

// contracted is a product and a sum of the source.
func (w *f32Writer) contracted(a, b, c *ir.Value) *ir.Value {
	v := w.op(isa.Fma, 0, 0, a, b, c)
	v.Contracted = true
	return v
}

func (w *f32Writer) store(offset uint32, data ...*ir.Value) *ir.Value {
	v := w.val(isa.Store, isa.F32, isa.Void, append([]*ir.Value{w.index}, data...)...)
	v.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: offset, Elem: isa.F32, Count: uint8(len(data))}, HasIndex: true, Align: 4}
	return v
}

func (w *f32Writer) end() *ir.Func {
	w.b.Term = ir.Return
	return w.f
}

// What is packed is what clang 19 packs (-O3 -mcpu=gfx942) of OpenCL C that does the same.
func TestSuperwords(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(w *f32Writer)
		want  int
	}{
		{"components of a vector operation, whatever becomes of them", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FAdd, 7, 0, x, y))
			w.store(4096, w.op(isa.FAdd, 7, 1, y, y))
		}, 1},
		{"components 1 and 2", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FAdd, 7, 1, x, y))
			w.store(4096, w.op(isa.FAdd, 7, 2, y, y))
		}, 0},
		{"copies of an unrolled loop that store far apart", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FAdd, 7, 0, x, y))
			w.store(4096, w.op(isa.FAdd, 7, 0, y, y))
		}, 0},
		{"two trees that are stored side by side", func(w *f32Writer) {
			x, y, k := w.load(0), w.load(512), w.load(1024)
			re := w.op(isa.FMul, 8, 0, w.op(isa.FAdd, 7, 0, x, k), y)
			im := w.op(isa.FMul, 10, 0, w.op(isa.FAdd, 9, 0, y, k), x)
			w.store(2048, re, im)
		}, 2},
		{"other operations side by side", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FAdd, 7, 0, x, y), w.op(isa.FMul, 8, 0, x, y))
		}, 0},
		{"one that reads the other", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			sum := w.op(isa.FAdd, 7, 0, x, y)
			w.store(2048, sum, w.op(isa.FAdd, 8, 0, sum, y))
		}, 0},
		{"one that depends on the other", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			sum := w.op(isa.FAdd, 7, 0, x, y)
			w.store(2048, sum, w.op(isa.FAdd, 9, 0, w.op(isa.FMul, 8, 0, sum, y), y))
		}, 0},
		{"four components of a product", func(w *f32Writer) {
			w.vector(isa.FMul)
		}, 2},
		{"two components of a difference", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FSub, 7, 0, x, y))
			w.store(4096, w.op(isa.FSub, 7, 1, y, x))
		}, 1},
		{"four components of a difference", func(w *f32Writer) {
			w.vector(isa.FSub)
		}, 0},
		{"multiply-adds of the source that become a vector", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.Fma, 7, 0, x, y, x), w.op(isa.Fma, 8, 0, y, y, x))
		}, 1},
		{"products and sums that become a vector", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.contracted(x, y, x), w.contracted(y, y, x))
		}, 0},
		{"products and sums that are stored word by word", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.contracted(x, y, x), w.contracted(y, y, x)).Mem.Joined = true
		}, 1},
		{"products and sums, and another sum", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			w.store(2048, w.op(isa.FAdd, 7, 0, w.contracted(x, y, x), y), w.op(isa.FAdd, 8, 0, w.contracted(y, y, x), y))
		}, 2},
		{"sums of products, as of a matrix product", func(w *f32Writer) {
			x, y := w.load(0), w.load(512)
			a := w.contracted(x, y, w.op(isa.FMul, 7, 0, x, x))
			b := w.contracted(x, x, w.op(isa.FMul, 8, 0, y, y))
			w.store(2048, w.op(isa.FAdd, 9, 0, a, x), w.op(isa.FAdd, 10, 0, b, x))
		}, 0},
	} {
		w := newF32Writer()
		c.write(w)
		if got := packedIn(t, w.end()); got != c.want {
			t.Errorf("%s: %d packed operations, want %d", c.name, got, c.want)
		}
	}
}

// chains multiplies and adds n sums of a type in a loop, each by itself, and stores all of them apart.
func chains(typ isa.Type, n int) *ir.Func {
	w := newF32Writer()
	entry, header, body, cont, merge := w.b, w.f.NewBlock(), w.f.NewBlock(), w.f.NewBlock(), w.f.NewBlock()
	trips := w.val(isa.WorkgroupIDX, isa.I32, isa.I32)
	zero, one := w.constant(0), w.constant(1)
	start := make([]*ir.Value, n)
	for k := range start {
		start[k] = w.val(isa.Load, typ, typ, w.index)
		start[k].Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: uint32(512 * k), Elem: typ, Count: 1}, HasIndex: true, Align: 8}
	}
	entry.SetSuccs(ir.Jump, nil, header)
	i := w.f.NewValue(isa.Phi, isa.I32, isa.I32)
	i.Block, header.Phis = header, []*ir.Value{i}
	sums := make([]*ir.Value, n)
	for k := range sums {
		sums[k] = w.f.NewValue(isa.Phi, typ, typ)
		sums[k].Block, header.Phis = header, append(header.Phis, sums[k])
	}
	w.b = header
	header.Merge, header.Continue = merge, cont
	header.SetSuccs(ir.Cond, w.val(isa.ULt, isa.I32, isa.Bool, i, trips), body, merge)
	w.b = body
	for k, sum := range sums {
		sum.Args = []*ir.Value{start[k], w.val(isa.Fma, typ, typ, sum, start[0], start[1%n])}
	}
	body.SetSuccs(ir.Jump, nil, cont)
	w.b = cont
	i.Args = []*ir.Value{zero, w.val(isa.IAdd, isa.I32, isa.I32, i, one)}
	cont.SetSuccs(ir.Jump, nil, header)
	w.b = merge
	for k, sum := range sums {
		st := w.val(isa.Store, typ, isa.Void, w.index, sum)
		st.Mem = &ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Offset: uint32(8192 + 512*k), Elem: typ, Count: 1}, HasIndex: true, Align: 8}
	}
	return w.end()
}

// Sums that a loop carries side by side are packed by twos, as clang 19 packs four of them: two v_pk_fma_f32 an iteration.
func TestChainsOfALoopArePacked(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2} {
		if got := packedIn(t, chains(isa.F32, n)); got != want {
			t.Errorf("%d chains: %d packed operations, want %d", n, got, want)
		}
	}
}

// A sum of 64 bits that a loop carries stays in its registers, as one of 32 bits does: clang 19 has no move in a loop of four
// v_fma_f64.
func TestPairsOfRegistersStayInLoops(t *testing.T) {
	for _, typ := range []isa.Type{isa.F32, isa.F64} {
		for _, n := range []int{1, 4} {
			p := emitted(t, chains(typ, n), &Target{})
			sums := placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Fma })
			for _, at := range placesOf(p, func(in *isa.Inst) bool { return in.Op == isa.Mov && !in.Uniform }) {
				if at > sums[0] {
					t.Errorf("%d sums of %v: a move at %d of the loop that begins at %d", n, typ, at, sums[0])
				}
			}
		}
	}
}
