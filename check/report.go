package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"spvsim/isa"
	"spvsim/program"
)

// A Kind is what is wrong.
type Kind string

// Kinds of findings.
const (
	betweenGroups   Kind = "race between workgroups"
	betweenWaves    Kind = "race between waves"
	withinWave      Kind = "race within a wave"
	unwritten       Kind = "read of memory that nothing wrote"
	sameInstruction Kind = "lanes of one instruction write different values"
	afterEnqueue    Kind = "use of a payload after its enqueue"
	afterRelease    Kind = "use of a payload after its release"
	sharedInput     Kind = "write of an input that nodes share"
)

// A pair identifies a finding: all occurrences of it count as one.
type pair struct {
	kind             Kind
	earlier, program *program.Program // of the accesses
	before, after    int              // instructions
}

// A Finding is an access that no shader may make, or a pair of accesses without an order, with one occurrence and the number of all.
type Finding struct {
	Kind      Kind      `json:"kind"`
	Program   string    `json:"program"`
	Count     uint64    `json:"count"` // lanes and granules of memory that it was found for
	Memory    string    `json:"memory"`
	Variable  string    `json:"variable,omitempty"`
	Address   uint64    `json:"address"` // byte in the memory
	Offset    uint64    `json:"offset"`  // byte in the variable
	Workgroup [3]uint32 `json:"workgroup"`
	Before    *Side     `json:"before,omitempty"` // nil: one access alone is wrong
	After     Side      `json:"after"`

	order uint64 // of the occurrence, to keep the first one
}

// A Side is one access of a finding.
type Side struct {
	Instruction string `json:"instruction"`  // of the listing
	Index       int    `json:"index"`        // there
	ID          uint32 `json:"id,omitempty"` // in the module
	Line        uint32 `json:"line,omitempty"`
	Source      string `json:"source,omitempty"` // text of the line
	Wave        int    `json:"wave"`
	Lane        int    `json:"lane"`
	// Program and Workgroup of the earlier access, where they are not the finding's.
	Program   string     `json:"program,omitempty"`
	Workgroup *[3]uint32 `json:"workgroup,omitempty"`
}

// report adds occurrences of a finding in so many granules of the LDS. No record before: one access alone is wrong.
func (g *GroupCheck) report(k Kind, before, after record, granule uint32, granules uint) *Finding {
	c, at := g.checker, granule<<g.lds.shift
	c.mutex.Lock()
	defer c.mutex.Unlock()
	f, first := g.occurrence(k, before, after, uint64(granules))
	if first {
		f.Memory, f.Address = "LDS", uint64(at)
		f.Variable, f.Offset = variableAt(g.program, at)
	}
	return f
}

// Repeated occurrences are more of a finding, by the same two instructions of the same waves. They are counted together.
type repeated struct {
	finding     *Finding // nil: none
	before, now uint64   // identify the two
	times       uint64
}

// is reports that occurrences of the two are counted.
func (r *repeated) is(before, now uint64) bool {
	return r.finding != nil && r.before == before && r.now == now
}

// countRepeated adds what is counted to its finding, and ends the count.
func (g *GroupCheck) countRepeated() {
	if r := &g.repeated; r.finding != nil {
		g.checker.mutex.Lock()
		r.finding.Count += r.times
		g.checker.mutex.Unlock()
		*r = repeated{}
	}
}

// reportVariable adds an occurrence of reads of a Function or Private variable that nothing wrote, by so many lanes.
func (g *GroupCheck) reportVariable(name string, now record, lanes uint64) {
	c := g.checker
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if f, first := g.occurrence(unwritten, 0, now, lanes); first {
		f.Memory, f.Variable = "private memory", name
	}
}

// occurrence counts occurrences of a finding. The first one is to be completed.
func (g *GroupCheck) occurrence(k Kind, before, after record, times uint64) (f *Finding, first bool) {
	p := g.program
	f, first = g.checker.occurrence(&pair{k, p, p, before.pc(), after.pc()}, g, times)
	if !first {
		return f, false
	}
	if f.After = sideOf(p, after); before != 0 {
		side := sideOf(p, before)
		f.Before = &side
	}
	return f, true
}

// occurrence counts occurrences of a finding in a workgroup.
func (c *Checker) occurrence(key *pair, g *GroupCheck, times uint64) (f *Finding, first bool) {
	f = c.findings[*key]
	if f == nil {
		f = &Finding{Kind: key.kind, Program: key.program.Name, order: math.MaxUint64}
		c.findings[*key] = f
	}
	if f.Count += times; f.order <= g.index {
		return f, false
	}
	f.order, f.Workgroup = g.index, g.id
	return f, true
}

// variableAt returns the Workgroup variable at a byte of the LDS, and the byte in it.
func variableAt(p *program.Program, at uint32) (name string, offset uint64) {
	for _, v := range p.LDSVariables {
		if at-v.Offset < v.Bytes {
			return v.Label(), uint64(at - v.Offset)
		}
	}
	return "", uint64(at)
}

func sideOf(p *program.Program, r record) Side {
	in := &p.Insts[r.pc()]
	s := Side{Instruction: isa.Disasm(in), Index: r.pc(), ID: in.SPIRV, Line: in.Line, Wave: r.wave(), Lane: r.lane()}
	for _, l := range p.Source {
		if l.Line == in.Line {
			s.Source = strings.TrimSpace(l.Text)
		}
	}
	return s
}

// A Report is what a check found.
type Report struct {
	Findings    []Finding `json:"findings"`
	Unchecked   []string  `json:"unchecked"`     // what was not looked at, and why
	OutOfBounds uint64    `json:"out_of_bounds"` // accesses
	// RobustOutOfBounds: accesses out of bounds by devices with robustBufferAccess, which defines them.
	RobustOutOfBounds uint64 `json:"robust_out_of_bounds"`
}

// Write writes the report as JSON.
func (r *Report) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Report returns what was found, in the order of kinds, programs and instructions. The caller knows what was out of bounds.
func (c *Checker) Report() Report {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return Report{Findings: c.sorted(), Unchecked: append([]string{}, c.incomplete...)}
}

func (c *Checker) sorted() []Finding {
	list := make([]Finding, 0, len(c.findings))
	for _, f := range c.findings {
		list = append(list, *f)
	}
	sortFindings(list)
	return list
}

func sortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Program, b.Program),
			cmp.Compare(a.indexBefore(), b.indexBefore()), cmp.Compare(a.After.Index, b.After.Index))
	})
}

// Add adds another report of the same kind of work, of another device or process. Findings of the same instructions become one with the
// sum of their counts.
func (r *Report) Add(o *Report) {
	places := map[string]int{}
	for i := range r.Findings {
		places[r.Findings[i].instructions()] = i
	}
	for i := range o.Findings {
		f := &o.Findings[i]
		key := f.instructions()
		if at, ok := places[key]; ok {
			r.Findings[at].Count += f.Count
			continue
		}
		places[key] = len(r.Findings)
		r.Findings = append(r.Findings, *f)
	}
	sortFindings(r.Findings)
	for _, text := range o.Unchecked {
		if !slices.Contains(r.Unchecked, text) {
			r.Unchecked = append(r.Unchecked, text)
		}
	}
	r.OutOfBounds += o.OutOfBounds
	r.RobustOutOfBounds += o.RobustOutOfBounds
}

// instructions returns a text that findings share if they are of the same instructions of equal programs.
func (f *Finding) instructions() string {
	var sides [2]Side
	for i, s := range []*Side{f.Before, &f.After} {
		if s != nil {
			sides[i] = Side{Instruction: s.Instruction, Index: s.Index, ID: s.ID, Line: s.Line, Source: s.Source, Program: s.Program}
		}
	}
	return fmt.Sprintf("%q %q %q %q %+v", f.Kind, f.Program, f.Memory, f.Variable, sides)
}

// String returns the finding in some lines.
func (f *Finding) String() string {
	where := f.Memory
	if f.Variable != "" {
		where += " " + f.Variable
	}
	text := fmt.Sprintf("%s: %s, byte %d (address %d), workgroup %v of %s, %d times", f.Kind, where, f.Offset, f.Address, f.Workgroup, f.Program, f.Count)
	if f.Before != nil {
		text += "\n  " + f.Before.String()
	}
	return text + "\n  " + f.After.String()
}

// Short returns the kind of the finding with its instructions.
func (f *Finding) Short() string {
	which := fmt.Sprintf("instruction %d", f.After.Index)
	if f.Before != nil {
		which = fmt.Sprintf("instructions %d and %d", f.Before.Index, f.After.Index)
	}
	return fmt.Sprintf("%s: %s of %s, %d times", f.Kind, which, f.Program, f.Count)
}

func (f *Finding) indexBefore() int {
	if f.Before == nil {
		return -1
	}
	return f.Before.Index
}

func (s Side) String() string {
	text := fmt.Sprintf("wave %d, lane %2d: %s", s.Wave, s.Lane, isa.Origin{SPIRV: s.ID, Line: s.Line})
	if s.Workgroup != nil {
		text = fmt.Sprintf("workgroup %v, %s", *s.Workgroup, text)
	}
	if s.Program != "" {
		text = s.Program + ", " + text
	}
	if s.Source != "" {
		text += fmt.Sprintf(" %q", s.Source)
	}
	return fmt.Sprintf("%s: %s (instruction %d)", text, s.Instruction, s.Index)
}
