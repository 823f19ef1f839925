package mem

import (
	"encoding/binary"
	"testing"

	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// bench is one port on a default machine, with one buffer at binding 0.
type bench struct {
	store *Store
	h     *hierarchy.Analytic
	port  *Port
	env   WaveBindings
	buf   *Buffer
	st    *isa.State
}

func newBench(tb testing.TB, bytes uint64) *bench {
	tb.Helper()
	b := &bench{store: NewStore(0)}
	s, shape := hierarchy.DefaultSpec(), &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
	b.h = hierarchy.NewAnalytic(&s, shape)
	b.port = NewPorts(b.store, b.h, &s, shape)[0]
	var err error
	if b.buf, err = b.store.Alloc(bytes, "data"); err != nil {
		tb.Fatal(err)
	}
	b.env = WaveBindings{Bindings: &Bindings{}}
	b.env.Bind(DescriptorOf(b.buf))
	b.st = newState(64)
	return b
}

func newState(lanes int) *isa.State {
	full := ^uint64(0) >> (64 - uint(lanes))
	return &isa.State{Lanes: lanes, Full: full, Exec: full, V: make([]uint32, 64*lanes), S: make([]uint64, 32)}
}

// fillIota makes dword i of the buffer i*3+1.
func (b *bench) fillIota() {
	for i := 0; i+4 <= len(b.buf.Bytes); i += 4 {
		binary.LittleEndian.PutUint32(b.buf.Bytes[i:], uint32(i/4*3+1))
	}
}

// index sets row r to l*stride.
func (b *bench) index(r int, stride uint32) {
	for l := range b.st.Lanes {
		b.st.V[r*b.st.Lanes+l] = uint32(l) * stride
	}
}

// access is a load or store of count dwords: index in row 0, data in rows 8 on.
func access(op isa.Op, t isa.Type, count int) *isa.Inst {
	m := &isa.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: t, Count: uint8(count)}, Index: isa.V(0)}
	for k := range count {
		r := isa.V(8 + k*t.Rows())
		m.Dsts[k], m.Data[k] = r, r
	}
	return &isa.Inst{Op: op, T: t, Mem: m}
}

func BenchmarkIssue(b *testing.B) {
	cases := []struct {
		name   string
		op     isa.Op
		t      isa.Type
		count  int
		stride uint32
		exec   uint64
	}{
		{"load-b32-unit", isa.Load, isa.F32, 1, 4, ^uint64(0)},
		{"load-b32-unit-partial", isa.Load, isa.F32, 1, 4, ^uint64(0) >> 1},
		{"load-b32-broadcast", isa.Load, isa.F32, 1, 0, ^uint64(0)},
		{"load-b128-unit", isa.Load, isa.F32, 4, 16, ^uint64(0)},
		{"load-b32-rows", isa.Load, isa.F32, 1, 2048, ^uint64(0)},
		{"load-b64-unit", isa.Load, isa.F64, 1, 8, ^uint64(0)},
		{"load-b16-unit", isa.Load, isa.F16, 1, 2, ^uint64(0)},
		{"store-b32-unit", isa.Store, isa.F32, 1, 4, ^uint64(0)},
		{"store-b32-rows", isa.Store, isa.F32, 1, 2048, ^uint64(0)},
		{"store-b128-unit", isa.Store, isa.F32, 4, 16, ^uint64(0)},
		{"atomic-add-spread", isa.AtomicIAdd, isa.I32, 1, 4, ^uint64(0)},
		{"atomic-add-one", isa.AtomicIAdd, isa.I32, 1, 0, ^uint64(0)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			bn := newBench(b, 64*2048+1<<20)
			bn.index(0, c.stride)
			in := access(c.op, c.t, c.count)
			in.Mem.Base = isa.S(1)
			bn.st.Exec = c.exec
			now := uint64(0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				bn.st.S[1] = uint64(i) * 256 % (1 << 19)
				now = bn.port.Issue(now, bn.st, &bn.env, in).UnitFreeAt
			}
		})
	}
}

func TestLoadStoreRoundTrip(t *testing.T) {
	for _, exec := range []uint64{^uint64(0), 0xF0F0_1234_8001_FFFE} {
		for count := 1; count <= 4; count++ {
			for _, stride := range []uint32{0, 4, 8, 16, 20, 2048} {
				b := newBench(t, 64*2048+64)
				b.fillIota()
				b.index(0, stride)
				b.st.Exec = exec
				b.port.Issue(0, b.st, &b.env, access(isa.Load, isa.I32, count))
				for l := range 64 {
					for k := range count {
						want := uint32(0)
						if exec>>l&1 != 0 {
							want = (uint32(l)*stride/4+uint32(k))*3 + 1
						}
						if got := b.st.V[(8+k)*64+l]; got != want {
							t.Fatalf("exec %x count %d stride %d: lane %d result %d = %d, want %d", exec, count, stride, l, k, got, want)
						}
					}
				}
			}
		}
	}
}

func TestSpeculativeLoadsOutOfBoundsAreNoFaults(t *testing.T) {
	for _, speculative := range []bool{false, true} {
		b := newBench(t, 4096)
		b.index(0, 4096)
		in := &isa.Inst{Op: isa.Load, T: isa.I32, Mem: &isa.Mem{
			Access: isa.Access{Elem: isa.I32, Count: 1, Speculative: speculative},
			Index:  isa.V(0), Dsts: [4]isa.Reg{isa.V(8)},
		}}
		b.port.Issue(0, b.st, &b.env, in)
		want := uint64(b.st.Lanes - 1)
		if speculative {
			want = 0
		}
		if got := uint64(b.store.Faults.Count); got != want {
			t.Errorf("speculative %v: %d faults, want %d", speculative, got, want)
		}
	}
}
