package judge

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/program"
	"spvsim/spirv/validate"
	"spvsim/tracing"
)

// A Comparison has a shader's code by both compilers: Lowered by package program, and RADV.
type Comparison struct {
	Name, Machine, Family string
	Lowered, RADV         *Code
	// Weighted: Runs of the blocks are known. Unknown counts RADV's loops without a counterpart here.
	Weighted bool
	Unknown  int
}

// A Shader is a module with the specialization of a launch, to be compared.
type Shader struct {
	Name   string
	Module *validate.Module
	Launch *config.Launch
	Values []config.SpecValue // override the launch's
	// Ran and NotUnrolled are the shader's listings with counts from two runs: with the default options, and without unrolling.
	// nil: it has not run.
	Ran, NotUnrolled *tracing.Listing
}

// Compare compiles the shader with the driver, and lowers it, for the machine's chip.
func (d *Driver) Compare(s *Shader, m *config.Machine) (*Comparison, error) {
	family := Families[m.Name]
	if family == "" {
		return nil, fmt.Errorf("%w: it has no chip for machine %s: want %s", ErrRefused, m.Name, strings.Join(presets(), ", "))
	}
	lanes := cmp.Or(s.Launch.WaveSize, m.WaveSize)
	o, err := gpu.LowerOptions(s.Module, s.Launch, s.Values, gpu.Target(m, lanes))
	if err != nil {
		return nil, err
	}
	r := &Request{Module: s.Module, Entry: s.Launch.Entry, Specialization: o.Specialization, Family: family, WaveSize: lanes}
	if m.Name == "gcn3-r9nano" {
		r.WaveSize = 0 // fiji has only waves of 64 lanes, and refuses a required size
	}
	c := &Comparison{Name: s.Name, Machine: m.Name, Family: family}
	if c.RADV, err = d.Compile(r); err != nil {
		return nil, err
	}
	if n := c.RADV.Static(); n.Total() <= 1 {
		return nil, fmt.Errorf("%w: it leaves nothing of it but the end", ErrRefused)
	}
	if c.Lowered, err = lowerShader(s, o, m); err != nil {
		return nil, err
	}
	c.RADV.Waves = min(c.RADV.Waves, m.Limits().WaveSlots)
	return c, c.weigh(s, m)
}

func lowerShader(s *Shader, o program.Options, m *config.Machine) (*Code, error) {
	if s.Ran != nil {
		return LoweredCode(s.Ran.Program, s.Ran.Counts, m.Limits())
	}
	p, err := program.Lower(s.Module, o)
	if err != nil {
		return nil, err
	}
	return LoweredCode(p, nil, m.Limits())
}

func (c *Comparison) weigh(s *Shader, m *config.Machine) error {
	if s.Ran == nil || s.NotUnrolled == nil {
		return nil
	}
	plain, err := LoweredCode(s.NotUnrolled.Program, s.NotUnrolled.Counts, m.Limits())
	if err != nil {
		return err
	}
	c.Weighted, c.Unknown = true, Weigh(c.RADV, closerLoops(c.RADV, plain, c.Lowered))
	return nil
}

// closerLoops returns the code whose loops are more similar to RADV's: plain (not unrolled), unless the accesses and
// instructions of ours are more similar.
func closerLoops(theirs, plain, ours *Code) *Code {
	near := func(c *Code) float64 {
		a, b := regions(theirs.Blocks), regions(c.Blocks)
		return similarity(a.accesses(theirs.Blocks), b.accesses(c.Blocks)) + mixtureWeight*likeness(a.kinds(theirs.Blocks), b.kinds(c.Blocks))
	}
	if near(ours) > near(plain) {
		return ours
	}
	return plain
}

// presets lists the machines of Families.
func presets() []string { return []string{"gcn3-r9nano", "rdna2-rx6800xt", "rdna3-rx7900xtx"} }

// Run runs a job functionally, with the default options and without unrolling, and returns its compute shaders with their
// counts.
func Run(ctx context.Context, job *config.Job, m *config.Machine) ([]Shader, error) {
	shaders, err := gpu.Shaders(job)
	if err != nil {
		return nil, err
	}
	modules := map[string]*validate.Module{}
	for i := range shaders {
		modules[shaders[i].Name] = shaders[i].Module
	}
	setup := gpu.Setup{Machine: m, Job: job, Mode: config.ModeFunctional, Threads: 1}
	ran, err := gpu.Run(ctx, setup)
	if err != nil {
		return nil, err
	}
	setup.Lower = func(t *program.Target) { t.Opt.UnrollTrips = -1 }
	plain, err := gpu.Run(ctx, setup)
	if err != nil {
		return nil, err
	}
	var list []Shader
	for i := range ran.Listings {
		if l := ran.Listings[i].Launch; l != nil {
			list = append(list, Shader{Name: l.Shader, Module: modules[l.Shader], Launch: l, Ran: &ran.Listings[i], NotUnrolled: &plain.Listings[i]})
		}
	}
	return list, nil
}

// Write writes both side by side: numbers and, with listing, the instructions of the blocks.
func (c *Comparison) Write(out io.Writer, listing bool) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s: %s, and RADV for %s\n", c.Name, c.Machine, c.Family)
	row := func(what string, ours, theirs int) { fmt.Fprintf(w, "  %-18s %10d %10d\n", what, ours, theirs) }
	fmt.Fprintf(w, "  %-18s %10s %10s\n", "", "here", "RADV")
	row("vector registers", c.Lowered.VectorRegs, c.RADV.VectorRegs)
	row("scalar registers", c.Lowered.ScalarRegs, c.RADV.ScalarRegs)
	row("bytes of LDS", c.Lowered.LDSBytes, c.RADV.LDSBytes)
	row("bytes of scratch", c.Lowered.ScratchBytes, c.RADV.ScratchBytes)
	row("waves a SIMD", c.Lowered.Waves, c.RADV.Waves)
	c.writeKinds(w)
	if c.Unknown > 0 {
		fmt.Fprintf(w, "  %d loops of RADV's are none here: their blocks count as run once\n", c.Unknown)
	}
	if listing {
		c.writeBlocks(w)
	}
	return w.Flush()
}

func (c *Comparison) writeKinds(w io.Writer) {
	static, theirs := c.Lowered.Static(), c.RADV.Static()
	executed, theirExecuted := c.Lowered.Weighted(), c.RADV.Weighted()
	fmt.Fprintf(w, "  %-18s %10s %10s", "instructions", "here", "RADV")
	if c.Weighted {
		fmt.Fprintf(w, " %14s %14s", "executed here", "RADV")
	}
	fmt.Fprintln(w)
	line := func(name string, a, b, x, y float64) {
		fmt.Fprintf(w, "  %-18s %10.0f %10.0f", name, a, b)
		if c.Weighted {
			fmt.Fprintf(w, " %14.0f %14.0f", x, y)
		}
		fmt.Fprintln(w)
	}
	for k := range NumKinds {
		if static[k]+theirs[k] > 0 {
			line(k.String(), static[k], theirs[k], executed[k], theirExecuted[k])
		}
	}
	line("all but waits", static.Total(), theirs.Total(), executed.Total(), theirExecuted.Total())
}

// column is the width of the left column of a listing; most instructions fit.
const column = 64

func (c *Comparison) writeBlocks(w io.Writer) {
	left, right := c.Lowered.lines(c.Weighted), c.RADV.lines(c.Weighted)
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s | %s", column, l, r), " "))
	}
}

func (c *Code) lines(weighted bool) (list []string) {
	for i := range c.Blocks {
		b := &c.Blocks[i]
		head := fmt.Sprintf("%s: %d instructions", cmp.Or(b.Name, "after a branch"), len(b.Text))
		if weighted {
			head += fmt.Sprintf(", %.0f times", b.Runs)
		}
		list = append(list, head)
		for j, text := range b.Text {
			list = append(list, fmt.Sprintf("  %-6s %s", b.Kinds[j], strings.Join(strings.Fields(text), " ")))
		}
	}
	return list
}
