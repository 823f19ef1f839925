package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/check"
	"spvsim/isa"
	"spvsim/program"
)

// Accesses to whole words find what they find where each of their smallest elements has a record.
func TestRecordsOfWords(t *testing.T) {
	word, two, four, small := isa.Access{Elem: isa.I32, Count: 1}, isa.Access{Elem: isa.I32, Count: 2}, isa.Access{Elem: isa.I32, Count: 4}, isa.Access{Elem: isa.I8, Count: 1}
	t.Run("4 bytes", func(t *testing.T) { compareWords(t, 1, small, word, two, small) })
	t.Run("8 bytes", func(t *testing.T) { compareWords(t, 4, two, two, four) })
	t.Run("16 bytes", func(t *testing.T) { compareWords(t, 4, four, four) })
}

// compareWords compares random accesses of some kinds with the same ones behind a workgroup that stored each element of so many bytes
// where no word begins.
func compareWords(t *testing.T, element uint32, splits isa.Access, kinds ...isa.Access) {
	const bytes, lanes, waves, accesses, found = 512, 32, 2, 10, 100
	index, data := isa.Reg{Kind: isa.Vector}, isa.Reg{Kind: isa.Vector, Index: 1}
	var insts []isa.Inst
	split := 0
	for _, op := range []isa.Op{isa.Load, isa.Store, isa.AtomicIAdd} {
		for _, a := range kinds {
			if op == isa.AtomicIAdd && (a.Count != 1 || a.Elem != isa.I32) {
				continue
			}
			if op == isa.Store && a == splits {
				split = len(insts)
			}
			a.Space = isa.SpaceLDS
			insts = append(insts, isa.Inst{Op: op, T: a.Elem, Mem: &isa.Mem{Access: a, Index: index, Data: [4]isa.Reg{data, data, data, data}}})
		}
	}
	p := &program.Program{Name: "p", LDSBytes: bytes, WaveSize: lanes, Insts: insts}
	runs := 0
	for seed := range uint64(300) {
		var reports [2][]check.Finding
		for way := range reports {
			random := rand.New(rand.NewPCG(seed, 53))
			c := check.New()
			l := c.Launch(check.LaunchSetup{})
			st := &isa.State{Lanes: lanes, Full: 1<<lanes - 1, Exec: 1<<lanes - 1, V: make([]uint32, 2*lanes)}
			if way == 1 { // the records are those of a workgroup before
				g := l.Begin(p, 0, [3]uint32{}, waves)
				for from := uint32(0); from < bytes; from += lanes * element {
					for n := range uint32(lanes) {
						st.V[n] = from + n*element
					}
					g.AccessLDS(st, split, &insts[split])
					g.Barrier(0)
				}
				g.End()
			}
			g := l.Begin(p, 1, [3]uint32{1}, waves)
			for range accesses {
				st.WaveInGroup, st.Exec = random.Uint32N(waves), st.Full
				pc := random.IntN(len(insts))
				if random.IntN(3) == 0 {
					st.Exec &= random.Uint64()
				}
				from, stride := 4*random.Uint32N(8), 4*uint32(insts[pc].Mem.Count)*random.Uint32N(3)
				if random.IntN(2) == 0 {
					from &^= 15
				}
				if insts[pc].Mem.Elem == isa.I8 {
					from, stride = random.Uint32N(32), random.Uint32N(3)
				}
				for n := range uint32(lanes) {
					st.V[n], st.V[lanes+n] = from+n*stride, random.Uint32N(2)*0x101
				}
				if random.IntN(8) == 0 {
					for w := range uint32(waves) {
						g.Barrier(w)
					}
				}
				g.AccessLDS(st, pc, &insts[pc])
			}
			g.End()
			reports[way] = c.Report().Findings
		}
		if diff := cmp.Diff(reports[1], reports[0], cmpopts.IgnoreUnexported(check.Finding{})); diff != "" {
			t.Fatalf("seed %d: bytes (-) and words (+):\n%s", seed, diff)
		}
		if len(reports[0]) > 0 {
			runs++
		}
	}
	if runs < found {
		t.Errorf("%d runs have findings, want %d at least: the test shows nothing", runs, found)
	}
}
