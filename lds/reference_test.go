package lds

import (
	"fmt"
	"math/bits"
	"math/rand"
	"testing"

	"spvsim/internal/timing"
	"spvsim/isa"
)

// plainPhases are the lanes of each phase, read from the text of a machine file.
func plainPhases(a *AccessSpec) (phases [][]int) {
	if len(a.Lanes) == 0 {
		for l := range 64 {
			if l%a.PhaseLanes == 0 {
				phases = append(phases, nil)
			}
			phases[len(phases)-1] = append(phases[len(phases)-1], l)
		}
		return phases
	}
	for _, half := range []int{0, 32} {
		for _, text := range a.Lanes {
			mask, err := parseLanes(text)
			if err != nil {
				panic(err)
			}
			var lanes []int
			for l := range 32 {
				if mask>>l&1 != 0 {
					lanes = append(lanes, half+l)
				}
			}
			phases = append(phases, lanes)
		}
	}
	return phases
}

// plainRow is the row of the table for an access, from the words of its documentation.
func plainRow(a *Accesses, op isa.Op, bytes int) *AccessSpec {
	at := 0
	for at*4+4 < bytes {
		at++
	}
	switch op {
	case isa.Load:
		return []*AccessSpec{&a.ReadB32, &a.ReadB64, &a.ReadB96, &a.ReadB128}[at]
	case isa.Store:
		return []*AccessSpec{&a.WriteB32, &a.WriteB64, &a.WriteB96, &a.WriteB128}[at]
	case isa.AtomicCompareExchange:
		return []*AccessSpec{&a.CmpSwapB32, &a.CmpSwapB64}[at]
	}
	return []*AccessSpec{&a.AtomicB32, &a.AtomicB64}[at]
}

// plainBank is the bank of a word, as the machine's reference says it.
func plainBank(s *Spec, word int) int {
	switch s.Mapping {
	case "xor":
		return (word ^ word/s.Banks) % s.Banks
	case "padded":
		return (word + word/s.Banks) % s.Banks
	}
	return word % s.Banks
}

// plainResponse counts the passes of an access in the plainest way: for each
// phase, the different words of each bank, or all of them for atomics.
func plainResponse(s *Spec, now uint64, op isa.Op, lanes int, exec uint64, offsets []uint32, base, bytes int) timing.Response {
	t := timing.Response{Completion: timing.ByCallback}
	atomic := op != isa.Load && op != isa.Store
	busy := func(a *AccessSpec) int { return a.FixedCycles + (a.Wave64Cycles*lanes+63)/64 }
	unhindered := 0
	for from := 0; from < bytes; from += 16 {
		n := min(16, bytes-from)
		row := plainRow(&s.Accesses, op, n)
		unhindered += busy(row)
		for _, phase := range plainPhases(row) {
			words, counts, most := map[int]bool{}, map[int]int{}, 0
			for _, l := range phase {
				if exec>>l&1 == 0 {
					continue
				}
				first := base + int(offsets[l]) + from
				for w := first / s.BankBytes; w <= (first+n-1)/s.BankBytes; w++ {
					if atomic || !words[w] {
						words[w] = true
						counts[plainBank(s, w)]++
						most = max(most, counts[plainBank(s, w)])
					}
				}
			}
			t.Passes += most
			t.ConflictPasses += max(0, most-1)
		}
	}
	conflicts := t.ConflictPasses * s.ConflictCycles
	busyFor := unhindered + conflicts
	t.OwnUnitFreeAt = now + uint64(busyFor)
	shared := unhindered * min(s.WaveBytesPerCycle, s.BytesPerCycle)
	t.UnitFreeAt = now + uint64((shared+s.BytesPerCycle-1)/s.BytesPerCycle+conflicts)
	t.Busy = t.UnitFreeAt - now
	t.ReadyAt = now + uint64(max(0, busyFor-busy(&s.Accesses.ReadB32)))
	return t
}

func randomSpec(r *rand.Rand) func(*Spec) {
	return func(s *Spec) {
		if r.Intn(3) == 0 {
			return // whose phases of consecutive lanes fill all banks
		}
		s.Banks, s.BankBytes = 1<<r.Intn(11), 1<<r.Intn(7)
		if r.Intn(2) == 0 {
			s.Banks, s.BankBytes = 16<<r.Intn(4), 4<<r.Intn(2)
		}
		if r.Intn(3) == 0 {
			s.Mapping = []string{"xor", "padded"}[r.Intn(2)]
		}
		s.ConflictCycles, s.BytesPerCycle, s.WaveBytesPerCycle = r.Intn(4), 16+r.Intn(200), 16+r.Intn(200)
		for _, row := range s.Accesses.rows() {
			*row = AccessSpec{PhaseLanes: 1 << r.Intn(7), FixedCycles: r.Intn(6), Wave64Cycles: r.Intn(20)}
			if r.Intn(4) == 0 {
				row.PhaseLanes, row.Lanes = 8, readB128Lanes
			}
			if r.Intn(8) == 0 {
				row.PhaseLanes, row.Lanes = 16, shuffledLanes(r)
			}
		}
	}
}

// shuffledLanes are two phases of 16 lanes each, in any order.
func shuffledLanes(r *rand.Rand) []string {
	var text [2]string
	for i, l := range r.Perm(32) {
		text[i/16] += fmt.Sprint(l, " ")
	}
	return text[:]
}

// randomOffsets are those of one of the patterns that programs have.
func randomOffsets(r *rand.Rand, v []uint32, bytes int) {
	first, step := uint32(r.Intn(64)*r.Intn(5)), uint32(bytes)
	if r.Intn(2) == 0 {
		step = uint32(r.Intn(40) * r.Intn(9))
	}
	kind := r.Intn(5)
	for l := range v {
		switch kind {
		case 0: // anywhere
			v[l] = uint32(r.Intn(2000))
		case 1: // few places, so that lanes meet
			v[l] = uint32(r.Intn(6) * r.Intn(70))
		case 2: // one place
			v[l] = first
		default:
			v[l] = first + uint32(l)*step
		}
	}
	for range r.Intn(3) * r.Intn(2) { // a lane or two out of line
		v[r.Intn(len(v))] += uint32(4 * r.Intn(4))
	}
}

// TestAgainstPlainCounting compares the times of random accesses to random
// machines' LDS with those of plain counting: the shortcuts of the model find
// what counting finds.
func TestAgainstPlainCounting(t *testing.T) {
	ops := []isa.Op{isa.Load, isa.Store, isa.Load, isa.Store, isa.AtomicIAdd, isa.AtomicCompareExchange, isa.AtomicUMin}
	types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
	r := rand.New(rand.NewSource(3))
	for range 250 {
		d := newLDS(t, randomSpec(r))
		for range 40 {
			op, typ := ops[r.Intn(len(ops))], types[r.Intn(4)]
			count := 1 + r.Intn(4)
			if op != isa.Load && op != isa.Store {
				count = 1
				typ = types[2+r.Intn(2)]
			}
			st := newState([]int{16, 32, 64}[r.Intn(3)])
			if r.Intn(2) == 0 {
				st.Exec = r.Uint64() & st.Full
			}
			bytes, base := int(typ.Bits()/8)*count, r.Intn(40)*r.Intn(30)
			randomOffsets(r, st.V[:st.Lanes], bytes)
			offsets, now := append([]uint32(nil), st.V[:st.Lanes]...), r.Uint64()>>40
			got := *d.Issue(now, st, uint32(base), 48<<10, access(op, typ, count))
			plain := plainResponse(d.spec, now, op, st.Lanes, st.Exec, offsets, base, bytes)
			if got != plain {
				t.Fatalf("%+v\nop %d, %v x%d, %d lanes, exec %x, base %d, offsets %v:\nfound %+v\nwant  %+v",
					*d.spec, op, typ, count, st.Lanes, st.Exec, base, offsets, got, plain)
			}
		}
	}
}

// The quick answer is given for what programs do most: consecutive lanes and
// one word for all, on machines of up to 64 banks.
func TestQuickAnswers(t *testing.T) {
	for banks := 1; banks <= 128; banks *= 2 {
		for bankBytes := 1; bankBytes <= 16; bankBytes *= 2 {
			d := newLDS(t, func(s *Spec) { s.Banks, s.BankBytes = banks, bankBytes })
			var inRow, same [64]uint32
			for l := range inRow {
				inRow[l], same[l] = uint32(l*bankBytes), 12
			}
			phase := ^uint64(0) >> (64 - min(banks, 64))
			few := banks <= 64
			if got := d.count.conflictFree(phase, &inRow, 0, uint32(bankBytes), true); got != few {
				t.Errorf("%d banks of %d bytes: a word of each bank: %v", banks, bankBytes, got)
			}
			if got := d.count.conflictFree(phase, &same, 0, 1, false); got != few {
				t.Errorf("%d banks of %d bytes: one word: %v", banks, bankBytes, got)
			}
			if got := d.count.conflictFree(3, &same, 0, 1, true); got {
				t.Errorf("%d banks of %d bytes: two atomics on one word need no pass each", banks, bankBytes)
			}
			if phase &= phase - 1; bits.OnesCount64(phase) > 0 && few {
				inRow[bits.Len64(phase)-1] += uint32(bankBytes * banks / 2)
				if d.count.conflictFree(phase, &inRow, 0, uint32(bankBytes), true) != (banks == 2) {
					t.Errorf("%d banks of %d bytes: one of the banks twice", banks, bankBytes)
				}
			}
		}
	}
}

// An access whose lanes stand one after the other is known as such, up to the
// last byte of its workgroup; how fast it is simulated depends on it.
func TestPackedAccessesAreSeen(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	stride(st, 4)
	for _, c := range []struct {
		size   uint32
		exec   uint64
		op     isa.Op
		count  int
		packed bool
	}{
		{256, st.Full, isa.Load, 1, true}, {255, st.Full, isa.Load, 1, false}, {256, st.Full - 1, isa.Load, 1, false},
		{1024, st.Full, isa.Load, 2, false},
	} {
		st.Exec = c.exec
		d.Issue(0, st, 0, c.size, access(c.op, isa.I32, c.count))
		if d.contiguous != c.packed || d.stride != uint32(4*c.count) {
			t.Errorf("%d of %d bytes, exec %x: packed %v, stride %d", 256*c.count, c.size, c.exec, d.contiguous, d.stride)
		}
		stride(st, 4)
	}
	if !d.spans[ReadB32] || !d.spans[ReadB64] || d.spans[ReadB128] {
		t.Errorf("phases that fit in all banks: %v", d.spans)
	}
}

// The marks of earlier phases are told apart by an age, also when it has run over.
func TestAgeRunsOver(t *testing.T) {
	d := newLDS(t, nil)
	var off [64]uint32
	for l := range off {
		off[l] = uint32(l * 128) // one bank
	}
	count := func() int { return d.count.busiest(^uint64(0), &off, 0, 4, false) }
	count()
	for i := range d.count.banks {
		d.count.banks[i].age, d.count.banks[i].passes = 1, 99
	}
	for i := range d.count.words {
		d.count.words[i].age, d.count.words[i].word = 1, uint32(i)*32
	}
	d.count.age = ^uint32(0)
	for range 2 {
		if got := count(); got != 64 {
			t.Errorf("%d passes, want 64", got)
		}
	}
	if d.count.age != 2 {
		t.Errorf("age %d after two phases, want 2", d.count.age)
	}
}

// Addresses are the sum of a uniform base, an index by lane or not, and a constant.
func TestAddresses(t *testing.T) {
	d, st := newLDS(t, nil), newState(64)
	for i := range 64 {
		d.Bytes(0, 4096)[i*4] = byte(i)
	}
	st.S[3], st.S[4] = 16, 8
	for l := range 64 {
		st.V[2*64+l] = uint32(l%4) * 4
	}
	for _, c := range []struct {
		base, index isa.Reg
		offset      uint32
		want        func(l int) int // word
	}{
		{isa.S(3), isa.V(2), 4, func(l int) int { return 5 + l%4 }},
		{isa.S(3), isa.S(4), 4, func(int) int { return 7 }},
		{isa.Reg{}, isa.S(4), 0, func(int) int { return 2 }},
		{isa.S(3), isa.Reg{}, 8, func(int) int { return 6 }},
		{isa.Lit(20), isa.V(2), 0, func(l int) int { return 5 + l%4 }},
	} {
		in := access(isa.Load, isa.I32, 1)
		in.Mem.Base, in.Mem.Index, in.Mem.Offset = c.base, c.index, c.offset
		d.Issue(0, st, 0, 4096, in)
		for l := range 64 {
			if got := int(st.V[8*64+l]); got != c.want(l) {
				t.Fatalf("base %v, index %v, offset %d: lane %d has word %d, want %d", c.base, c.index, c.offset, l, got, c.want(l))
			}
		}
	}
}

// A workgroup finds zeros in its range, and others keep theirs.
func TestClear(t *testing.T) {
	d := newLDS(t, nil)
	all := d.Bytes(0, 64)
	for i := range all {
		all[i] = 7
	}
	d.Clear(16, 32)
	for i, b := range all {
		if (b == 0) != (i >= 16 && i < 48) {
			t.Errorf("byte %d is %d", i, b)
		}
	}
}

// Lanes are numbers and ranges of numbers from 0 to 31, and nothing else.
func TestLanesAreRead(t *testing.T) {
	for text, want := range map[string]uint64{"0": 1, "31": 1 << 31, "0-31": 1<<32 - 1, "3-3 5": 0b101000, "2-4": 0b11100} {
		if got, err := parseLanes(text); err != nil || got != want {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
	for _, text := range []string{"x-5", "5-x", "x", "-1-3", "3-2", "0-32", "32", "40-41"} {
		if got, err := parseLanes(text); err == nil {
			t.Errorf("%q: %x", text, got)
		}
	}
}
