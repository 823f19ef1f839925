package driver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/vulkan/vk"
)

// A capturer writes chosen dispatches, or the submissions that contain one, as jobs, and runs them as those jobs: from
// cold caches, so that a second run of the job gives the same bytes and the same cycles.
type capturer struct {
	folder           string
	wholeSubmissions bool // wholeSubmissions submissions
	rules            choices
}

// captured counts the jobs of all devices, which write to one folder.
var captured atomic.Int64

// newCapturer reads SPVSIM_CAPTURE, a folder; SPVSIM_SELECT, comma-separated patterns, each with an optional count
// after a colon; and SPVSIM_WHOLE, which is set to capture whole submissions.
func newCapturer() *capturer {
	c := &capturer{folder: os.Getenv("SPVSIM_CAPTURE"), wholeSubmissions: os.Getenv("SPVSIM_WHOLE") != ""}
	if c.folder == "" {
		return nil
	}
	c.rules = readChoices("SPVSIM_SELECT", "*")
	if err := os.MkdirAll(c.folder, 0o777); err != nil {
		fail(vk.ErrorInitializationFailed, "SPVSIM_CAPTURE: %v", err)
	}
	return c
}

// capturesAlone reports whether a dispatch of that name becomes a job of its own.
func (c *capturer) capturesAlone(name string) bool {
	return c != nil && !c.wholeSubmissions && c.rules.selects(name)
}

// A block is memory that a captured dispatch can reach.
type block struct {
	addr  uint64
	bytes []byte
}

func (b *block) contains(addr uint64) bool { return addr-b.addr < uint64(len(b.bytes)) }

// A capture is a job under construction: its steps, and the memory that they can reach.
type capture struct {
	*capturer
	device    *logicalDevice
	hasChosen bool // one of the dispatches is chosen
	steps     []jobStep
	blocks    []block
	file      string
}

// A jobStep is a step of a job: a dispatch, a graph dispatch, or a transfer.
type jobStep struct {
	name     string
	dispatch *dispatch
	graph    *graphDispatch
	moves    []rowCopy
	bytes    uint64 // of a transfer
	bound    []bound
}

// bound lists the descriptors of each binding of a program.
type bound struct {
	program  *program.Program
	elements [][]mem.Descriptor
}

func (c *capture) addDispatch(name string, d *dispatch) error {
	s := jobStep{name: name, dispatch: d, bound: []bound{{d.pipeline.kernel.Program, d.elements()}}}
	return c.add(s)
}

// addGraph adds a graph dispatch to the job, which has one graph.
func (c *capture) addGraph(name string, g *graphDispatch) error {
	if in := &g.input; in.CountInfo == 0 && !in.InfosInMemory && len(in.Entries) == 0 {
		return fmt.Errorf("%s: nothing is handed to it: a job has no such step", name)
	}
	s := jobStep{name: name, graph: g}
	for _, p := range g.graph.graph.Programs() {
		s.bound = append(s.bound, bound{p, g.elementsOf(p)})
	}
	return c.add(s)
}

func (c *capture) addTransfer(name string, bytes uint64, moves []rowCopy) error {
	if moves == nil {
		return fmt.Errorf("%s: a job has no queries", name)
	}
	return c.add(jobStep{name: name, moves: moves, bytes: bytes})
}

func (c *capture) add(s jobStep) error {
	if s.moves == nil && c.wholeSubmissions && c.capturer.rules.selects(s.name) {
		c.hasChosen = true
	}
	c.steps = append(c.steps, s)
	return nil
}

// run captures the steps that plan adds, runs them as a job, and copies the results back.
func (c *capturer) run(d *logicalDevice, name string, plan func(*capture) error) (*replayed, error) {
	p := &capture{capturer: c, device: d}
	if err := plan(p); err != nil {
		return nil, err
	}
	return p.run(name)
}

// submission captures a whole submission that contains a chosen dispatch, and runs it; nil: the submission is to run as
// usual.
func (c *capturer) submission(d *logicalDevice, s *submission) *replayed {
	if c == nil || !c.wholeSubmissions {
		return nil
	}
	p := &capture{capturer: c, device: d}
	planner := &executor{device: d, queue: s.queue, plan: p}
	err := planner.submission(s)
	if !p.hasChosen {
		return nil
	}
	var told *replayed
	if err == nil {
		told, err = p.run(fmt.Sprintf("a submission with %s", p.steps[0].name))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: a submission is not captured: %v\n", err)
		return nil
	}
	return told
}

// run writes the job, runs it, and brings its results back.
func (c *capture) run(name string) (*replayed, error) {
	if err := c.oneGraph(); err != nil {
		return nil, err
	}
	c.findBlocks()
	c.file = filepath.Join(c.folder, fmt.Sprintf("%04d.yaml", captured.Add(1)))
	text, err := c.job(name)
	if err == nil {
		err = os.WriteFile(c.file, []byte(text), 0o666)
	}
	if err != nil {
		return nil, err
	}
	result, err := c.replay()
	if err != nil {
		return nil, errors.Join(err, os.Remove(c.file))
	}
	text += "expect:\n"
	for i := range c.blocks {
		copy(c.blocks[i].bytes, result.Buffers[i].Bytes)
		text += fmt.Sprintf("  - {buffer: memory%d, sha256: %q}\n", i, fmt.Sprintf("%x", sha256.Sum256(result.Buffers[i].Bytes)))
	}
	return c.counts(result), os.WriteFile(c.file, []byte(text), 0o666)
}

// replay runs the job that was written.
func (c *capture) replay() (*gpu.Result, error) {
	job, err := config.LoadJob(nil, c.file)
	if err != nil {
		return nil, err
	}
	return gpu.Run(context.Background(), gpu.Setup{Machine: c.device.physical.machine, Job: job, Mode: readSettings().mode})
}

// replayed holds the counts of a job's steps, in their order.
type replayed struct {
	file  string
	steps []account.Counts
}

// counts assigns the job's statistics to its steps by name; a single step gets them all.
func (c *capture) counts(r *gpu.Result) *replayed {
	out := &replayed{file: filepath.Base(c.file), steps: make([]account.Counts, len(c.steps))}
	for i := range r.Stats.Steps {
		at := 0
		if len(c.steps) > 1 {
			at = slices.IndexFunc(c.steps, func(s jobStep) bool { return s.name == r.Stats.Steps[i].Name })
		}
		if at >= 0 {
			out.steps[at].Add(&r.Stats.Steps[i].Counts)
		}
	}
	return out
}

// next returns the counts of the next step, and advances the device's clock by its cycles.
func (r *replayed) next(d *logicalDevice) (*account.Counts, string) {
	c := &r.steps[0]
	r.steps = r.steps[1:]
	d.gpu.Elapse(c.Cycles)
	return c, r.file
}

// nextReplayed returns the counts of the next step if the commands ran as a job; false: they did not.
func (x *executor) nextReplayed() (counts *account.Counts, file string, told bool) {
	if x.replayed == nil {
		return nil, "", false
	}
	counts, file = x.replayed.next(x.device)
	return counts, file, true
}

// oneGraph refuses what a job can't hold: dispatches of several graphs, or of one with different bindings. It gives each step a name
// of its own.
func (c *capture) oneGraph() error {
	var first *jobStep
	for i := range c.steps {
		s := &c.steps[i]
		if len(c.steps) > 1 {
			s.name = fmt.Sprintf("%03d %s", i, s.name)
		}
		switch {
		case s.graph == nil:
		case first == nil:
			first = s
		case s.graph.graph != first.graph.graph || s.graph.scratch != first.graph.scratch || !bytes.Equal(s.graph.push, first.graph.push) || !sameBound(s.bound, first.bound):
			return fmt.Errorf("%s: it differs in its graph or in what is bound from %s: a job has one graph", s.name, first.name)
		}
	}
	return nil
}

func sameBound(a, b []bound) bool {
	return slices.EqualFunc(a, b, func(a, b bound) bool {
		return slices.EqualFunc(a.elements, b.elements, func(a, b []mem.Descriptor) bool {
			return slices.EqualFunc(a, b, func(a, b mem.Descriptor) bool {
				return a.Addr == b.Addr && len(a.Bytes) == len(b.Bytes) && a.Image == b.Image && a.Sampler == b.Sampler
			})
		})
	})
}

// findBlocks lists the memory of descriptors and transfers, and all memory where a program follows addresses, in whole pieces.
func (c *capture) findBlocks() {
	var list []block
	for _, d := range c.reached() {
		if len(d.Bytes) > 0 {
			list = append(list, block{d.Addr, d.Bytes})
		}
	}
	if slices.ContainsFunc(c.steps, followsAddresses) {
		state.Lock()
		for _, o := range objects {
			if m, ok := o.x.(*memory); ok && m.device == c.device {
				list = append(list, block{m.addr, m.bytes})
			}
		}
		state.Unlock()
	}
	slices.SortFunc(list, func(a, b block) int { return cmp.Compare(a.addr, b.addr) })
	for _, b := range list {
		if last := len(c.blocks) - 1; last >= 0 && b.addr <= c.blocks[last].addr+uint64(len(c.blocks[last].bytes))+mem.Guard {
			c.join(&c.blocks[last], b)
		} else {
			c.blocks = append(c.blocks, b)
		}
	}
}

// reached is the memory that the steps name.
func (c *capture) reached() (list []mem.Descriptor) {
	for i := range c.steps {
		s := &c.steps[i]
		for k := range s.bound {
			list = slices.Concat(list, slices.Concat(s.bound[k].elements...))
		}
		for k := range s.moves {
			list = append(list, s.moves[k].to, s.moves[k].from)
		}
		if s.dispatch != nil {
			list = append(list, s.dispatch.indirect)
		}
	}
	return list
}

// join merges adjacent or overlapping blocks.
func (c *capture) join(to *block, b block) {
	end := max(b.addr+uint64(len(b.bytes)), to.addr+uint64(len(to.bytes)))
	if all := c.device.gpu.Memory(to.addr, end-to.addr); all != nil {
		to.bytes = all
	}
}

// followsAddresses reports whether a step accesses memory that no descriptor names: through flat addresses, or through
// infos in memory.
func followsAddresses(s jobStep) bool {
	return s.graph != nil && s.graph.input.InfosInMemory || slices.ContainsFunc(s.bound, func(b bound) bool {
		return slices.ContainsFunc(b.program.Insts, func(in isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceFlat })
	})
}

// storeData writes bytes to a file of the folder that is named by their digest, once.
func (c *capturer) storeData(data []byte, ext string) (string, error) {
	name := fmt.Sprintf("%x%s", sha256.Sum256(data), ext)
	full := filepath.Join(c.folder, name)
	if have, err := os.Stat(full); err == nil && have.Size() == int64(len(data)) {
		return name, nil
	}
	return name, os.WriteFile(full, data, 0o666)
}
