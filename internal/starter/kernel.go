package starter

import (
	"fmt"
	"strings"

	"spvsim/gpu"
	"spvsim/program"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
)

// kernelOptions are the options with which a kernel is lowered; of other entry points none.
func (w *writer) kernelOptions(e *validate.EntryPoint) (program.Kernel, error) {
	if !kernel.Is(e) {
		return program.Kernel{}, nil
	}
	k, err := kernel.InterfaceOf(w.m, e)
	if err != nil {
		return program.Kernel{}, err
	}
	return gpu.GuessKernel(k), nil
}

// kernel writes the buffers, the grid and the arguments of a kernel.
func (w *writer) kernel(e *entry) error {
	k, err := kernel.InterfaceOf(w.m, e.EntryPoint)
	if err != nil {
		return err
	}
	c := kernelCall{writer: w, k: k, layout: kernel.Layout{Module: w.m, Physical: k.Physical}, guess: gpu.GuessKernel(k)}
	named := true
	for i := range k.Arguments {
		named = named && k.Arguments[i].Name != ""
		c.argument(i)
	}
	if len(c.buffers) > 0 {
		w.line("buffers:\n%s", strings.Join(c.buffers, "\n"))
	}
	dims := 3
	for dims > 1 && c.guess.LocalSize[dims-1] == 1 {
		dims--
	}
	global := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.guess.LocalSize[:dims]), " ", ", "), "[]")
	w.line("global: [%s] # guess: the work-items of one workgroup", global)
	if k.RequiredSize[0] == 0 {
		w.line("local: [%s] # guess", global)
	}
	for i, text := range c.values {
		name := "-"
		if named {
			name = quoted(k.Arguments[i].Name) + ":"
		}
		c.values[i] = fmt.Sprintf("  %s %s # %s", name, text, c.notes[i])
	}
	switch {
	case len(c.values) > 0:
		w.line("arguments:\n%s", strings.Join(c.values, "\n"))
	default:
		w.line("arguments: []")
	}
	return nil
}

// A kernelCall collects what the arguments of a kernel need.
type kernelCall struct {
	*writer
	k             *kernel.Interface
	layout        kernel.Layout
	guess         program.Kernel
	buffers       []string
	values, notes []string // by argument
}

func (c *kernelCall) argument(i int) {
	a, text := &c.k.Arguments[i], ""
	note := c.k.Spelling(i)
	switch a.Kind {
	case kernel.Local:
		items := uint64(c.guess.LocalSize[0]) * uint64(c.guess.LocalSize[1]) * uint64(c.guess.LocalSize[2])
		text = fmt.Sprintf("{local: %d}", items*c.elementBytes(a.Type))
		note += ", guess: an element for each work-item"
	case kernel.Global, kernel.Constant:
		text = c.buffer(i, fmt.Sprintf("data: {zero: %d}", guessElements*c.elementBytes(a.Type)), fmt.Sprintf("guess: %d elements", guessElements))
	case kernel.Image:
		body, guess := image(a.Type)
		text = c.buffer(i, body, guess)
	case kernel.Sampler:
		text = "null"
		c.open("the sampler %s: a job can't give one as an argument", c.k.ArgumentName(i))
	default:
		text = c.zero(a.Type)
		c.open("the value of %s: it is zero", c.k.ArgumentName(i))
	}
	c.values, c.notes = append(c.values, text), append(c.notes, note)
}

func (c *kernelCall) buffer(i int, body, note string) string {
	name := c.unique(c.k.Arguments[i].Name, fmt.Sprintf("argument%d", i))
	c.buffers = append(c.buffers, fmt.Sprintf("  - {name: %s, %s}%s", quoted(name), body, comment(note)))
	return quoted(name)
}

// elementBytes is the size of what a pointer points to; a type without a size counts as a word.
func (c *kernelCall) elementBytes(t *validate.Type) uint64 {
	n, _, ok := c.layout.Extent(t.Elem)
	if !ok || n > mostElementBytes {
		return 4
	}
	return n
}

// mostElementBytes bounds the elements of guessed buffers.
const mostElementBytes = 1 << 10

// zero is a value of zeros, as a job gives it.
func (c *kernelCall) zero(t *validate.Type) string {
	n, _, _ := c.layout.Extent(t)
	switch t.Kind {
	case validate.KindVector:
		return "[" + strings.TrimSuffix(strings.Repeat("0, ", t.Count), ", ") + "]"
	case validate.KindStruct, validate.KindArray:
		return "{u8: [" + strings.TrimSuffix(strings.Repeat("0, ", int(n)), ", ") + "]}"
	case validate.KindPointer:
		return "null"
	}
	return "0"
}
