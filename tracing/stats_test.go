package tracing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program"
)

func counts() account.Counts {
	c := account.Counts{Launches: 2, Cycles: 5000, Workgroups: 4, Waves: 8,
		LDS:    account.LDSCounts{Accesses: 10, Passes: 25, ConflictPasses: 5},
		Memory: []account.LevelCounts{{Name: "vector_l1", Accesses: 100, Hits: 75, Misses: 25, Bytes: 6400}, {Name: "memory"}},
	}
	c.ByClass[isa.ClassVALU32], c.ByClass[isa.ClassSALU] = 300, 100
	c.Slots[account.Issued], c.Slots[account.Memory], c.Slots[account.Empty] = 1000, 3000, 12000
	return c
}

func TestSummary(t *testing.T) {
	c := counts()
	s := &Stats{Machine: "test", ClockMHz: 1000, Counts: c, Host: Host{Seconds: 0.5, InstructionsPerSecond: 800, PeakBytes: 20 << 20},
		Steps: []account.StepCounts{{Name: "a", Counts: c}, {Name: "b", Counts: c}}}
	var b bytes.Buffer
	suite.OK(t, WriteSummary(&b, s))
	want := `machine       test at 1000 MHz
time          5000 cycles, 5.000 us
work          4 workgroups, 8 waves, 400 instructions, 2 launches
instructions  valu32 75.0%, salu 25.0%
slot cycles   empty 75.0%, memory 18.8%, issued 6.2%
wave cycles   memory 75.0%, issued 25.0%
occupancy     25.0%
LDS           10 accesses, 25 passes (5 for bank conflicts)
vector_l1     100 accesses, 75.0% hits, 6400 bytes
step a        2 launches, 5000 cycles, 400 instructions, occupancy 25.0%
step b        2 launches, 5000 cycles, 400 instructions, occupancy 25.0%
host          0.50 s, 1 thousand wave instructions a second, 20 MB
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCountsAddUp(t *testing.T) {
	var sum account.Counts
	for range 3 {
		c := counts()
		sum.Add(&c)
	}
	if sum.Cycles != 15000 || sum.Instructions() != 1200 || sum.Slots.Total() != 48000 || sum.LDS.Passes != 75 ||
		sum.Memory[0].Hits != 225 || sum.Launches != 6 || sum.Occupancy() != 0.25 {
		t.Errorf("sum %+v", sum)
	}
	c := counts()
	if c.Memory[0].Hits != 75 {
		t.Error("adding changed what was added")
	}
}

func TestListing(t *testing.T) {
	p := &program.Program{Name: "main", WaveSize: 64, LocalSize: [3]uint32{64, 1, 1}, VectorRegs: 4, ScalarRegs: 8, Insts: []isa.Inst{
		{Op: isa.IAdd, T: isa.I32, Class: isa.ClassVALU32, Dst: isa.V(1), Src: [4]isa.Reg{isa.V(0), isa.Lit(1)}, Origin: isa.Origin{SPIRV: 12, Line: 7}},
		{Op: isa.Branch, Class: isa.ClassBranch, Target: 0},
	}}
	l := &Listing{Program: p, Counts: make([]account.InstCount, 2)}
	l.Counts[0].Issues = 3
	l.Counts[0].Cycles[account.Issued], l.Counts[0].Cycles[account.Operand] = 12, 5
	var b bytes.Buffer
	suite.OK(t, WriteListing(&b, l))
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 6 || !strings.Contains(lines[0], "wave64") || lines[2] != "L0:" {
		t.Fatalf("listing:\n%s", b.String())
	}
	suite.Contains(t, lines[3], "%12", " 7 ", "valu32", isa.Disasm(&p.Insts[0]), "3 ", "17", "issued 12, operand 5")
}

// Passes and conflicts have their own columns, which a program without LDS does not have.
func TestListingOfLDS(t *testing.T) {
	p := &program.Program{Insts: []isa.Inst{{Op: isa.Nop}, {Op: isa.Nop}}}
	text := func(counts ...account.InstCount) []string {
		var b bytes.Buffer
		suite.OK(t, WriteListing(&b, &Listing{Program: p, Counts: counts}))
		return strings.Split(b.String(), "\n")
	}
	lines := text(account.InstCount{Issues: 2, LDSPasses: 128, ConflictPasses: 124}, account.InstCount{Issues: 2})
	if !strings.HasSuffix(lines[1], "lds passes  conflicts  by reason") || !strings.HasSuffix(lines[2], "128        124") {
		t.Errorf("listing:\n%s", strings.Join(lines, "\n"))
	}
	if lines := text(account.InstCount{Issues: 2}, account.InstCount{}); strings.Contains(lines[1], "lds") {
		t.Errorf("no LDS, but %q", lines[1])
	}
}

func TestReasonsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for r := range account.NumReasons {
		if r.String() == "" || seen[r.String()] {
			t.Errorf("reason %d is called %q", r, r.String())
		}
		seen[r.String()] = true
	}
}
