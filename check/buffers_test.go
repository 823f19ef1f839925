package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/check"
	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/program"
)

// An access by all lanes of an instruction finds what the same accesses find lane by lane, and where each byte has a record from the start:
// records of blocks and of words are those of their granules. So it does behind a launch whose records had the same memory.
func TestRecordsOfBlocks(t *testing.T) {
	p := &program.Program{Name: "p"}
	for _, op := range []isa.Op{isa.Load, isa.Store, isa.AtomicIAdd} {
		for _, count := range []uint8{1, 2, 3, 4} {
			if op == isa.AtomicIAdd {
				count = 1
			}
			p.Insts = append(p.Insts, isa.Inst{Op: op, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: count}}})
		}
	}
	for _, op := range []isa.Op{isa.Load, isa.Store} {
		p.Insts = append(p.Insts, isa.Inst{Op: op, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I8, Count: 1}}})
	}
	const groups, accesses, found = 3, 12, 40
	runs := 0
	for seed := range uint64(200) {
		var reports [4][]check.Finding
		for way := range reports {
			random := rand.New(rand.NewPCG(seed, 53))
			c := check.New()
			setup := check.LaunchSetup{Name: "launch", Programs: []*program.Program{p}, Buffer: func(uint64) (string, uint64) { return "b", 0 }}
			if way == 3 {
				accessAlone(c, setup, rand.New(rand.NewPCG(seed, 54)))
			}
			l := c.Launch(setup)
			var list [groups]*check.GroupCheck
			for i := range list {
				list[i] = l.Begin(p, uint64(i), [3]uint32{uint32(i)}, 2)
			}
			if way == 2 {
				for at := uint64(0); at < 8192; at += 256 {
					l.NewPayload(at+1, 1, false)
				}
			}
			for range accesses {
				g, pc := list[random.IntN(groups)], random.IntN(len(p.Insts))
				st, in := &isa.State{Lanes: 32, WaveInGroup: random.Uint32N(2)}, &p.Insts[pc]
				mask, addr, bytes := randomAddresses(random, in)
				if way != 1 {
					g.AccessBuffer(st, pc, in, &lane.Touched{Mask: mask, Addr: &addr, Bytes: bytes, Packed: addr[1]-addr[0] == bytes})
					continue
				}
				for n := range 32 {
					if mask>>n&1 != 0 {
						g.AccessBuffer(st, pc, in, &lane.Touched{Mask: 1 << n, Addr: &addr, Bytes: bytes})
					}
				}
			}
			reports[way] = c.Report().Findings
		}
		for way, is := range []string{1: "lane by lane", 2: "byte by byte", 3: "behind another launch"} {
			if diff := cmp.Diff(reports[way], reports[0], cmpopts.IgnoreUnexported(check.Finding{})); way > 0 && diff != "" {
				t.Fatalf("seed %d: %s (-) and together (+):\n%s", seed, is, diff)
			}
		}
		if len(reports[0]) > 0 {
			runs++
		}
	}
	if runs < found {
		t.Errorf("%d of 200 runs have findings, want %d at least: the test shows nothing", runs, found)
	}
}

// randomAddresses draws the lanes of an access, where they access, and the bytes of each.
func randomAddresses(random *rand.Rand, in *isa.Inst) (mask uint64, addr [64]uint64, bytes uint64) {
	bytes = 4 * uint64(in.Mem.Count)
	if in.Mem.Elem == isa.I8 {
		bytes = 1
	}
	mask = ^uint64(0) >> 32
	stride := bytes
	if random.IntN(4) == 0 {
		mask &= random.Uint64()
	}
	if random.IntN(4) == 0 {
		stride *= 2
	}
	from := 4096 + min(bytes, 4)*random.Uint64N(8)*random.Uint64N(64)
	for n := range uint64(32) {
		addr[n] = from + n*stride
	}
	return mask, addr, bytes
}

// accessAlone makes random accesses of a workgroup that is alone in its launch.
func accessAlone(c *check.Checker, setup check.LaunchSetup, random *rand.Rand) {
	l, p := c.Launch(setup), setup.Programs[0]
	g := l.Begin(p, 0, [3]uint32{}, 2)
	for range 20 {
		pc := random.IntN(len(p.Insts))
		mask, addr, bytes := randomAddresses(random, &p.Insts[pc])
		g.AccessBuffer(&isa.State{Lanes: 32, WaveInGroup: random.Uint32N(2)}, pc, &p.Insts[pc], &lane.Touched{Mask: mask, Addr: &addr, Bytes: bytes})
	}
	g.End()
	l.End()
}

// Where a launch is known to write some memory alone, reads of other memory are not looked at. A write elsewhere is, and a message says what
// was missed.
func TestReadsOfWhatIsNotWritten(t *testing.T) {
	p := &program.Program{Name: "p"}
	for _, op := range []isa.Op{isa.Load, isa.Store} {
		p.Insts = append(p.Insts, isa.Inst{Op: op, Mem: &isa.Mem{Access: isa.Access{Space: isa.SpaceFlat, Elem: isa.I32, Count: 1}}})
	}
	const load, store = 0, 1
	for _, x := range []struct {
		at                  uint64
		findings, unchecked int
	}{{4092, 0, 1}, {4096, 1, 0}, {4156, 1, 0}, {4160, 0, 1}, {4172, 0, 1}, {4224, 1, 0}, {8192, 0, 1}} {
		c := check.New()
		l := c.Launch(check.LaunchSetup{Name: "launch", Programs: []*program.Program{p}, WritesKnown: true,
			Written: []check.Range{{Addr: 4224, Bytes: 4}, {Addr: 4096, Bytes: 64}}, Buffer: func(uint64) (string, uint64) { return "b", 0 }})
		for group, pc := range []int{load, store} {
			g, addr := l.Begin(p, uint64(group), [3]uint32{uint32(group)}, 1), [64]uint64{4100, x.at, 4200}
			mask := uint64(7)
			if pc == store {
				mask = 2
			} else { // all of it where nothing is written
				g.AccessBuffer(&isa.State{Lanes: 32}, pc, &p.Insts[pc], &lane.Touched{Mask: mask, Addr: &[64]uint64{1000, 1004, 1008}, Bytes: 4})
			}
			g.AccessBuffer(&isa.State{Lanes: 32}, pc, &p.Insts[pc], &lane.Touched{Mask: mask, Addr: &addr, Bytes: 4})
		}
		if r := c.Report(); len(r.Findings) != x.findings || len(r.Unchecked) != x.unchecked {
			t.Errorf("read and written at %d: found %d findings and %q, want %d and %d", x.at, len(r.Findings), r.Unchecked, x.findings, x.unchecked)
		}
	}
}
