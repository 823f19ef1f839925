package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"spvsim/internal/suite"
	"spvsim/mem"
)

// firstLaunch is the first launch of a job.
func firstLaunch(t *testing.T, r *runner) (first *jobLaunch) {
	t.Helper()
	found := errors.New("found")
	if err := r.eachLaunch(func(_, _ int, l *jobLaunch) error { first = l; return found }); !errors.Is(err, found) {
		t.Fatal(err)
	}
	return first
}

// loops has kernels in loops, with push constants of several sizes, and programs whose tables are taken in between.
const loops = `
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 512}}]
steps:
  - {name: small, for: {i: 1..3}, shader: scale.spvasm, push_constants: [{u32: i}], dispatch: [i]}
  - {copy: {to: device, bytes: 64}}
  - name: both
    for: {k: 0..2}
    steps:
      - {shader: scale.spvasm, push_constants: [{u32: k}], dispatch: [1], base: [k]}
      - {shader: scale.spvasm, push_constants: [{u32: k}, {u32: 2}], dispatch: [2]}
      - {shader: scale.spvasm, wave_size: 32, push_constants: [{u32: k}], dispatch: [1]}
`

// What is made in its turn is what the job lists, in every round, each with push constants of its own place.
func TestLaunchesInTurn(t *testing.T) {
	r := suite.Must(newRunner(t.Context(), setup(t, loops, "rdna3-rx7900xtx")))(t)
	list, err := r.setup.Job.Launches()
	if err != nil || len(r.launches) > 0 || r.count != len(list) {
		t.Fatalf("%d launches of %d listed, %d kept, %v", r.count, len(list), len(r.launches), err)
	}
	var before []string
	for range 2 {
		var here []string
		next := uint64(0)
		err := r.eachLaunch(func(i, of int, l *jobLaunch) error {
			k, ok := l.work.(*kernelWork)
			if !ok {
				return nil
			}
			want, b := &list[i], k.Bindings
			if of != len(list) || k.NumWorkgroups != want.Dispatch || k.Base != want.Base || !slices.Equal(b.Push, want.Push.Bytes) {
				t.Errorf("launch %d of %d: %v from %v on, push %v: want %+v", i, of, k.NumWorkgroups, k.Base, b.Push, want)
			}
			if b.PushAddr < next {
				t.Errorf("launch %d: push constants at %#x, before %#x", i, b.PushAddr, next)
			}
			next = b.PushAddr + uint64(len(b.Push))
			here = append(here, fmt.Sprintf("%p %#x", k.Code, b.PushAddr))
			return nil
		})
		if err != nil || before != nil && !slices.Equal(here, before) {
			t.Errorf("%v, then %v: %v", before, here, err)
		}
		before = here
	}
}

// Whatever is taken of memory in between, push constants are found again where they were placed.
func TestPushesAgain(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	p := pushPlaces{store: mem.NewStore(0)}
	var sizes []int
	var want []uint64
	for range 200 {
		if p.recording = draw.IntN(4) > 0; draw.IntN(8) == 0 {
			suite.Must(p.store.Reserve(draw.Uint64N(5000), "another"))(t)
		}
		size := draw.IntN(700)
		addr := suite.Must(p.addressOf(size))(t)
		if p.recording {
			sizes, want = append(sizes, size), append(want, addr)
		}
	}
	for range 2 {
		p.beginReplay()
		for i, size := range sizes {
			if addr, err := p.addressOf(size); addr != want[i] || err != nil {
				t.Fatalf("%d: at %#x, %v: want %#x", i, addr, err, want[i])
			}
		}
	}
}

// Many launches keep no more memory than few.
func TestLaunchesInConstantMemory(t *testing.T) {
	alive := func(launches int) int64 {
		r, err := newRunner(t.Context(), setup(t, fmt.Sprintf(`
buffers: [{set: 0, binding: 0, name: a, data: {iota: u32, count: 64}}]
mode: functional
steps: [{for: {i: 1..%d}, shader: scale.spvasm, push_constants: [{u32: i}], dispatch: [1]}]
`, launches), ""))
		if err != nil {
			t.Fatal(err)
		}
		suite.OK(t, r.runRounds())
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(r)
		return int64(m.HeapAlloc)
	}
	alive(10) // what is made once
	few := alive(10)
	if many := alive(3000); many-few > 3000*64 {
		t.Errorf("%d bytes with 10 launches, %d with 3000", few, many)
	}
}
