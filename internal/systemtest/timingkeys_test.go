package systemtest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/simd"
	"spvsim/tracing"
)

// large is more cycles than anything else in the job of all classes takes at once.
const large = 5000

// holdsUp is the effect of each of a class's instructions keeping its unit from the next one.
func holdsUp(c isa.Class) effect {
	return func(a, b *keyRun) string {
		n := a.ByClass[c]
		if n == 0 {
			return "the job has no instruction of the class"
		}
		return atLeast(max(n-1, 1)*large)(a, b)
	}
}

func issuedCycles(s *tracing.Stats) uint64 { return s.Slots[account.Issued] }

// classRows are the rows of one timing class, one for each of its numbers.
func classRows(c isa.Class) []keyRow {
	at := "timing.classes." + c.String()
	size := strconv.Itoa(large)
	job, on, busy, latency := "all", "", holdsUp(c), effect(slower)
	if c.Matrix() {
		job, on = "matrices", matrices
	}
	switch c {
	case isa.ClassPacked32:
		on = "machine=cdna3-mi300a "
	case isa.ClassMessage:
		job, on, busy = "lastsum", hardware, slower // whose messages have results, and whose waves have units of their own
	case isa.ClassBranch, isa.ClassBranchTaken:
		busy = slower // an instruction is of the one or the other class each time
	case isa.ClassBarrier: // of workgroups of several waves, which have units of their own
		job, busy, latency = "lds-groups", slower, refused(at+".latency")
	case isa.ClassWaitcnt:
		latency = refused(at + ".latency")
	case isa.ClassEnd: // one a wave
		job, busy, latency = "many", slower, refused(at+".latency")
	}
	return []keyRow{
		{at + ".issue", job, on + at + ".busy=" + size, "", size, grows("cycles of issue", issuedCycles)},
		{at + ".busy", job, on, "", size, busy},
		{at + ".latency", job, on, "", size, latency},
		unitRow(c, job, on),
	}
}

// unitRow gives a class the unit that another class keeps busy.
func unitRow(c isa.Class, job, on string) keyRow {
	at, partner, unit := "timing.classes."+c.String(), isa.ClassVALU32, "message"
	switch c {
	case isa.ClassVALU32:
		partner = isa.ClassSALU
	case isa.ClassMessage:
		unit = "branch"
	case isa.ClassBranchTaken: // known only when it has issued: the unit is taken, not waited for, and others wait instead
		return keyRow{at + ".unit", job, fmt.Sprintf("%s.busy=%d", at, large), "", "valu", differs}
	}
	p := "timing.classes." + partner.String()
	return keyRow{at + ".unit", job, on + fmt.Sprintf("%s.unit=%s %s.busy=%d", p, unit, p, large), "", unit, slower}
}

// Each number of each timing class counts, or is refused where the class can't have it.
func TestEveryTimingClassActs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a job for each class")
	}
	b := newKeyBench(t)
	for c := isa.ClassNone + 1; c < isa.NumClasses; c++ {
		for _, r := range classRows(c) {
			b.check(r)
		}
	}
	if n := reflect.TypeFor[simd.Class]().NumField() - 1; n != 4 { // but for the source
		t.Errorf("a class has %d numbers: want a row for each", n)
	}
}

// Each row of the operations is what programs are lowered by, for some type and wave size, under its own lowering.
func TestEveryOperationRowActs(t *testing.T) {
	b := newKeyBench(t)
	for _, preset := range config.Presets() {
		m := suite.Must(config.LoadMachine(config.Request{Machine: preset, Job: b.job("all")}))(t)
		for _, key := range m.Timing.OperationNames() {
			o := m.Timing.Operations[key]
			for lowering, list := range map[string][]string{"dpp": o.Use, "lds": o.UseLDS} {
				if len(list) > 0 && !rowReached(m, key, lowering) {
					t.Errorf("%s: %s: nothing is lowered by this row under %s", preset, key, lowering)
				}
			}
		}
	}
}

// rowReached reports that a change of the row changes what an operation of the row's name becomes.
func rowReached(m *config.Machine, key, lowering string) bool {
	name, _, _ := strings.Cut(key, "/")
	op, _ := isa.Lookup(name)
	changed := *m
	changed.Timing.Lowering = lowering
	before := lowerings(&changed, op)
	changed.Timing.Operations = map[string]simd.Operation{}
	for k, o := range m.Timing.Operations {
		if k == key {
			o.Use, o.UseLDS = append([]string{"3 end"}, o.Use...), append([]string{"3 end"}, o.UseLDS...)
		}
		changed.Timing.Operations[k] = o
	}
	return !reflect.DeepEqual(before, lowerings(&changed, op))
}

// lowerings are what an operation becomes on each type that it has a class for, at each wave size and on the scalar unit.
func lowerings(m *config.Machine, op isa.Op) (all [][]isa.Class) {
	row := &isa.Table[op]
	for _, size := range m.WaveSizes {
		target := gpu.Target(m, size)
		for typ := isa.Void; typ <= isa.E5M2; typ++ {
			if row.Class.For(typ) == isa.ClassNone {
				continue
			}
			all = append(all, slices.Clone(target.Expand(op, typ)))
			if row.Flags&isa.FlagScalarUnit != 0 {
				all = append(all, slices.Clone(target.ExpandScalar(op, typ)))
			}
		}
	}
	return all
}
