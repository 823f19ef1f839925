package opt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"spvsim/internal/oracle"
	"spvsim/isa"
	"spvsim/program/ir"
)

// texels is an image in memory.
type texels [16 * 16 * 4][4]uint64

func (p *texels) Size() [3]uint32 { return [3]uint32{16, 16, 4} }

func (p *texels) at(c [3]uint32) *[4]uint64 {
	return &p[(c[0]+16*c[1]+256*c[2])%uint32(len(p))]
}

func (p *texels) Load(c [3]uint32) [4]uint64     { return *p.at(c) }
func (p *texels) Store(c [3]uint32, t [4]uint64) { *p.at(c) = t }

// noise is words that serve as counts and indices below limit, and as floats
// where the limit is not tight.
func noise(r *rand.Rand, n int, limit uint32) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		w := r.Uint32N(limit)
		if limit > 4 && r.Uint32N(3) == 0 {
			w = 0x3f000000 + r.Uint32N(1<<24)
		}
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return b
}

// world runs a function on noise, always the same, and returns all memory.
func world(f *ir.Func, limit uint32) ([]byte, error) {
	r := rand.New(rand.NewPCG(1, 2))
	d := oracle.Dispatch{Groups: [3]uint32{2, 1, 1}, WaveSize: 32, MaxSteps: 1e4}
	var all [][]byte
	for _, b := range f.Bindings {
		n := b.Count
		if n == 0 { // the size is the application's
			n = 64
		}
		for range n {
			data := noise(r, 1500, limit)
			all = append(all, data)
			d.Descriptors = append(d.Descriptors, oracle.Descriptor{Data: data, Image: &texels{}})
		}
	}
	for range f.PushBytes/4 + 1 {
		d.Push = binary.LittleEndian.AppendUint32(d.Push, limit/2)
	}
	flat := noise(r, 1500, limit)
	d.Regions = []oracle.Region{{Base: uint64(limit/2)<<32 | uint64(limit/2), Data: flat}}
	_, err := oracle.Run(f, d)
	for _, x := range d.Descriptors {
		for _, t := range x.Image.(*texels) {
			for _, c := range t {
				flat = binary.LittleEndian.AppendUint64(flat, c)
			}
		}
	}
	return bytes.Join(append(all, flat), nil), err
}

var passesTogether = flag.Int("passes.together", 6, "after how many passes each shader's memory is compared")

// Every shader leaves the same memory after every few passes and after the last, whatever it was given.
// Fusing is off, as it rounds differently.
func TestPassesKeepMemory(t *testing.T) {
	for i, file := range shaders(t) {
		if testing.Short() && i%24 != 0 {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			f := build(t, file)
			eachValue(f, func(v *ir.Value) { v.NoContract = true })
			if count(f, isa.Clock)+count(f, isa.Realtime) > 0 {
				t.Skip("reads the clock")
			}
			if f.Fragment != nil {
				t.Skip("the interpreter has no fragments")
			}
			limit := uint32(40)
			want, err := world(f, limit)
			if err != nil { // an index of a descriptor, perhaps
				limit = 2
				want, err = world(f, limit)
			}
			if errors.Is(err, oracle.ErrSteps) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			step, seen, before := 0, 0, printed(f)
			compare := func(pass string, f *ir.Func) {
				now := printed(f)
				if now == before {
					seen = step
					return // the passes had nothing to do
				}
				before = now
				got, err := world(f, limit)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("after step %d, %s, and not after step %d: %s, %v", step, pass, seen, firstDifference(want, got), err)
				}
				seen = step
			}
			check = func(pass string, f *ir.Func) {
				if step++; step%*passesTogether == 0 {
					compare(pass, f)
				}
			}
			defer func() { check = nil }()
			Run(f, Options{WaveSize: 32, FuseMad: true, LshlAdd: true, Add3: true, SelectBuffers: true})
			compare("the last", f)
		})
	}
}
