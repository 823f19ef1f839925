// Package starter writes a first job for a module: its entry point or nodes, its
// bindings with sizes guessed from their types, its push constants and
// specialization constants with their defaults, or the arguments of a kernel.
//
// It does not know the purpose of the shader: contents are zero, one workgroup is dispatched, and the job lists the
// decisions that are left to its author.
package starter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program"
	"spvsim/spirv"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// Options describe the job.
type Options struct {
	Shader  string // the module's file, as named in the job
	Head    string // lines before all others, each a comment
	Machine string
	Set     []string // fields of the machine, each as path=value
	Entry   string   // entry point; empty: the nodes of the module's graph, or its first entry point
	Target  program.Target
}

// A Job is the text of a job file, with the decisions that the module leaves open.
type Job struct {
	Text    string
	Unknown []string // decisions left to the author
}

// writer puts a job together.
type writer struct {
	Options
	m        *validate.Module
	sizes    sizer
	entries  []*entry // that the job runs
	buffers  []*buffer
	names    map[string]bool         // of buffers
	pointing map[*validate.Type]bool // structures of the current buffer whose addresses are reported
	mesh     []meshOutput
	push     []string // lines of the push constants
	colors   []string // and of the colour attachments
	text     strings.Builder
	unknown  []string
	omitted  int // that are not noted
}

// An entry is an entry point, lowered.
type entry struct {
	*validate.EntryPoint
	prog *program.Program
	name string // of the node, if it differs from the entry point's
}

// settings writes the fields of the machine that are set; the last value of each counts.
func (w *writer) settings() {
	values := map[string]string{}
	for _, text := range w.Set {
		path, value, _ := strings.Cut(text, "=")
		values[strings.TrimPrefix(strings.TrimSpace(path), "machine.")] = strings.TrimSpace(value)
	}
	if len(values) > 0 {
		w.line("set:")
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		w.line("  %s: %s", path, values[path])
	}
}

// Write makes a job for a module. It returns an error if the module uses a feature that the simulator does not support.
func Write(m *validate.Module, o Options) (*Job, error) {
	w := &writer{Options: o, m: m, sizes: sizer{m, map[*validate.Type]size{}}, names: map[string]bool{}, pointing: map[*validate.Type]bool{}}
	if err := w.choose(); err != nil {
		return nil, err
	}
	called := kernel.Is(w.entries[0].EntryPoint)
	if !called {
		w.collect()
	}
	graph := w.graph()
	if err := w.checkPush(); err != nil {
		return nil, err
	}
	w.pushConstants()
	w.text.WriteString(o.Head)
	w.line("# A first job for %s: guesses are marked, and contents are zero.", o.Shader)
	w.line("machine: %s", o.Machine)
	w.settings()
	w.line("shader: %s", quoted(o.Shader))
	if !graph {
		w.entryPoint()
	}
	w.specialization()
	if graph {
		w.nodes()
	}
	if !called {
		w.resources()
	}
	if len(w.push) > 0 {
		w.line("push_constants:\n%s", strings.Join(w.push, "\n"))
	}
	switch {
	case graph:
		if err := w.dispatchGraph(); err != nil {
			return nil, err
		}
	case w.entries[0].prog.Fragment != nil:
		w.draw()
	case called:
		if err := w.kernel(w.entries[0]); err != nil {
			return nil, err
		}
	default:
		w.line("dispatch: [1, 1, 1] # guess: one workgroup, of %s invocations", sizeText(w.entries[0].prog.LocalSize))
		if polls(w.entries[0].prog) {
			w.open("how many workgroups wait for each other: one may wait for ever, since a loop reads memory atomically")
		}
	}
	if w.omitted > 0 {
		w.unknown = append(w.unknown, fmt.Sprintf("%d more", w.omitted))
	}
	for _, u := range w.unknown {
		w.line("# not known: %s", u)
	}
	return &Job{Text: w.text.String(), Unknown: w.unknown}, nil
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// mostUnknown bounds the notes of a job: a structure of many addresses may be bound many times.
const mostUnknown = 1000

// open records a decision that the module leaves open.
func (w *writer) open(format string, args ...any) {
	if len(w.unknown) == mostUnknown {
		w.omitted++
		return
	}
	w.unknown = append(w.unknown, fmt.Sprintf(format, args...))
}

// quoted formats a word of YAML, without quotes if it is plain.
func quoted(s string) string {
	for i, c := range s {
		plain := c == '_' || c == '/' || c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !plain || i == 0 && !(c == '_' || c == '/' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return fmt.Sprintf("%q", s)
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return fmt.Sprintf("%q", s)
	}
	return s
}

// polls reports whether a loop of the program reads memory that others write: by an atomic load, or a compare and swap.
func polls(p *program.Program) bool {
	for last := range p.Insts {
		first := p.Insts[last].Target
		if p.Insts[last].Class != isa.ClassBranch || int(first) > last {
			continue
		}
		for _, in := range p.Insts[first:last] {
			if in.Op == isa.AtomicLoad || in.Op == isa.AtomicCompareExchange {
				return true
			}
		}
	}
	return false
}

func sizeText(n [3]uint32) string { return fmt.Sprintf("%d x %d x %d", n[0], n[1], n[2]) }

// choose lowers the entry points that the job may run.
func (w *writer) choose() error {
	for i := range w.m.EntryPoints {
		e := &w.m.EntryPoints[i]
		if w.Entry != "" && e.Name != w.Entry {
			continue
		}
		options, err := w.kernelOptions(e)
		if err != nil {
			return fmt.Errorf("entry point %q: %w", e.Name, err)
		}
		p, err := program.Lower(w.m, program.Options{Entry: e.Name, Target: w.Target, Kernel: options})
		if err != nil {
			return fmt.Errorf("entry point %q: %w", e.Name, err)
		}
		w.entries = append(w.entries, &entry{EntryPoint: e, prog: p})
	}
	if len(w.m.EntryPoints) == 0 {
		return errors.New("found no entry point: want a module with at least one")
	}
	if len(w.entries) == 0 {
		return fmt.Errorf("found no entry point %q: want one of %s", w.Entry, w.entryNames())
	}
	nodes := lists.Filter(w.entries, func(e *entry) bool { return e.prog.Node != nil })
	if w.entries = w.entries[:1]; len(nodes) > 0 {
		w.entries = nodes
	}
	return nil
}

func (w *writer) entryNames() string {
	names := lists.Map(w.m.EntryPoints, func(e validate.EntryPoint) string { return fmt.Sprintf("%q", e.Name) })
	return strings.Join(names, ", ")
}

// graph reports whether the entry points are nodes.
func (w *writer) graph() bool { return w.entries[0].prog.Node != nil }

func (w *writer) entryPoint() {
	if len(w.m.EntryPoints) > 1 {
		w.line("entry: %s # of %s", quoted(w.entries[0].Name), w.entryNames())
	}
}

// specialization lists the constants that a job can set, with their defaults.
func (w *writer) specialization() {
	var lines []string
	for i := range w.m.Raw.Instructions {
		in := &w.m.Raw.Instructions[i]
		id, ok := w.m.Decoration(in.Result, spirv.DecorationSpecId)
		if in.Result == 0 || !ok || in.Type == 0 {
			continue
		}
		if value := preset(w.m, in); value != "" {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("  %d: %s # %s", id, value, w.m.Name(in.Result)), " #"))
		}
	}
	if len(lines) > 0 {
		w.line("specialization: # the defaults\n%s", strings.Join(lines, "\n"))
	}
}

// preset returns the default of a specialization constant; empty for any other instruction.
func preset(m *validate.Module, in *spirv.Instruction) string {
	switch in.Op {
	case spirv.OpSpecConstantTrue:
		return "true"
	case spirv.OpSpecConstantFalse:
		return "false"
	case spirv.OpSpecConstant:
		return number(in.Operands, m.Type(in.Type))
	}
	return ""
}

// pushConstants lists the members of the block. Members that are addresses point to separate buffers.
func (w *writer) pushConstants() {
	block := w.pushBlock()
	if block == nil {
		return
	}
	w.open("the values of the push constants: they are zero")
	for i, t := range block.Members {
		at, _ := w.m.MemberDecoration(block.ID, i, spirv.DecorationOffset)
		w.push = append(w.push, fmt.Sprintf("  - {%s, offset: %d}%s", w.pushValue(block, i, t), at, comment(w.m.MemberName(block.ID, i))))
	}
}

// checkPush refuses push constants that no job can give.
func (w *writer) checkPush() error {
	block := w.pushBlock()
	if block == nil {
		return nil
	}
	if bytes, _ := w.sizes.size(block); bytes > config.MaxPushBytes {
		return fmt.Errorf("push constants: found a block of %d bytes: want at most %d", bytes, config.MaxPushBytes)
	}
	return nil
}

func comment(text string) string {
	if text == "" {
		return ""
	}
	return " # " + strings.ReplaceAll(text, "\n", " ")
}

// pushBlock returns the type of the push constants of an entry point that the job runs, or nil.
func (w *writer) pushBlock() *validate.Type {
	for _, e := range w.entries {
		for _, id := range e.Interface {
			if t := w.m.TypeOf(id); e.prog.PushBytes > 0 && t.Kind == validate.KindPointer && t.Storage == spirv.StorageClassPushConstant && t.Elem != nil {
				return t.Elem
			}
		}
		if t := w.pushVariable(); e.prog.PushBytes > 0 && t != nil {
			return t // before SPIR-V 1.4 the interface does not list it
		}
	}
	return nil
}

func (w *writer) pushVariable() *validate.Type {
	for i := range w.m.Raw.Instructions {
		in := &w.m.Raw.Instructions[i]
		if in.Op == spirv.OpVariable && spirv.StorageClass(in.Operands[0]) == spirv.StorageClassPushConstant {
			return w.m.TypeOf(in.Result).Elem
		}
	}
	return nil
}

// pushValue writes a member: zeros of its type, or the address of a buffer of its own.
func (w *writer) pushValue(block *validate.Type, i int, t *validate.Type) string {
	if t.Kind == validate.KindPointer {
		name := w.addressed(w.m.MemberName(block.ID, i), t)
		return "address: " + quoted(name)
	}
	elem, count := t, 1
	if t.Kind == validate.KindVector {
		elem, count = t.Elem, t.Count
	}
	if word := typeWord(elem); word != "" {
		return word + ": " + zeros(count)
	}
	bytes, _ := w.sizes.member(block, i)
	if bytes%4 == 0 {
		return "u32: " + zeros(int(bytes/4))
	}
	return "u8: " + zeros(int(bytes))
}

func zeros(n int) string {
	if n == 1 {
		return "0"
	}
	return "[" + strings.TrimSuffix(strings.Repeat("0, ", n), ", ") + "]"
}
