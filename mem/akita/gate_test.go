//go:build akita

package akita

import (
	"math/rand/v2"
	"testing"

	akita "github.com/sarchlab/akita/v3/mem/mem"
)

// A gate passes a request on in parcels that make it up, each in one line; a store's bytes that its mask leaves out cost nothing, and nothing is passed
// on of which none is left. What the front knows of lanes' bytes is divided among them.
func TestParcelsMakeUpTheirRequest(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 1000 {
		g := &gate{gateSpec: gateSpec{line: 16 << r.IntN(3), cost: 7, serial: 1000}}
		addr, size := r.Uint64N(300), 1+r.Uint64N(100)
		read := &akita.ReadReq{Address: addr, AccessByteSize: size}
		g.split(read, 50)
		at, cost := addr, uint64(0)
		for _, p := range g.queue {
			if p.addr != at || p.addr/g.line != (p.addr+p.size-1)/g.line || p.readyAt != 50 || p.write || p.movedBytes() != p.size || p.pendingPieces != len(g.queue) {
				t.Fatalf("%d bytes at %d in lines of %d: %+v", size, addr, g.line, p)
			}
			at, cost = at+p.size, cost+p.cost
		}
		if at != addr+size || cost != 7*size {
			t.Fatalf("%d bytes at %d in lines of %d: up to %d, at a cost of %d", size, addr, g.line, at, cost)
		}
		write := &akita.WriteReq{Address: addr, Data: make([]byte, size), DirtyMask: make([]bool, size)}
		set := map[uint64]uint64{} // bytes by line
		for i := range write.DirtyMask {
			if r.IntN(8) == 0 {
				write.DirtyMask[i] = true
				set[(addr+uint64(i))/g.line]++
			}
		}
		g.queue = nil
		g.split(write, 50)
		if len(g.queue) != len(set) {
			t.Fatalf("%d parcels of %d lines", len(g.queue), len(set))
		}
		for _, p := range g.queue {
			if n := set[p.addr/g.line]; p.movedBytes() != n || p.cost != 7*n || !p.write || uint64(len(p.mask)) != p.size {
				t.Fatalf("%+v moves %d bytes, want %d", p, p.movedBytes(), n)
			}
		}
	}
	g := &gate{gateSpec: gateSpec{line: 64, cost: 7, serial: 1000}}
	for _, c := range []struct {
		info any
		want uint64
	}{{nil, 7 * 16}, {requestedBytes{bytes: 256, serial: 3}, 256*16/64*7 + 3000}, {requestedBytes{serial: 3}, 7 * 16}} {
		if got := g.price(&akita.ReadReq{AccessByteSize: 64, Info: c.info}, 16); got != c.want {
			t.Errorf("16 of 64 bytes with %+v cost %d, want %d", c.info, got, c.want)
		}
		if got := g.price(&akita.WriteReq{Data: make([]byte, 64), Info: c.info}, 16); got != c.want {
			t.Errorf("16 of 64 stored bytes with %+v cost %d, want %d", c.info, got, c.want)
		}
	}
}
