package gpu

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"spvsim/config"
	"spvsim/gpu/functional"
	"spvsim/internal/checkpoint"
	"spvsim/mem/akita"
	"spvsim/program"
	"spvsim/scheduler/graph"
	"spvsim/tracing/probe"
)

// Checkpoints says when a run saves its state, and with which state it begins. A state is that between two launches, when all that the
// machine does of the first has ended: memory, caches, translation, DRAM, counters and the profile. Launches of queues overlap: all of a
// round are one.
type Checkpoints struct {
	Build  string                                  // identifies the build of the program
	Every  int                                     // launches between two saved states
	Save   func(write func(io.Writer) error) error // replaces the state that was saved before; nil: none is saved
	Resume io.Reader                               // a saved state; nil: the run begins at the beginning
}

// ErrCheckpoint reports a saved state that is damaged or not of this run.
var ErrCheckpoint = errors.New("the checkpoint can't be used")

// checkpointMagic is the first line of a saved state.
const checkpointMagic = "spvsim checkpoint 1\n"

// A checkpointHead is the second line of a saved state: what run it is of, and the place in it.
type checkpointHead struct {
	Build      string        `json:"build"`
	Job        string        `json:"job"`
	Parameters []config.Leaf `json:"parameters"`
	Machine    []config.Leaf `json:"machine"`
	Run        []config.Leaf `json:"run"` // what else changes results
	Digest     []byte        `json:"digest"`
	checkpointPlace
}

// A checkpointPlace is a place between two launches.
type checkpointPlace struct {
	Round   int  `json:"round"`
	Launch  int  `json:"launch"` // the next one of the round
	Follows bool `json:"follows"`
}

// checkpoints saves and restores the state of a run.
type checkpoints struct {
	*Checkpoints
	objects *checkpoint.Graph
	timing  *timing
	head    checkpointHead
	since   int  // launches since the last saved state
	pending bool // the state to begin with has not been reached
	state   *bufio.Reader
}

// checkCheckpoints refuses what a saved state can't have.
func (s *Setup) checkCheckpoints() error {
	if s.Checkpoints == nil {
		return nil
	}
	switch {
	case s.Checkpoints.Every < 0:
		return fmt.Errorf("checkpoints: found one each %d launches: want at least 1", s.Checkpoints.Every)
	case s.Attach != nil:
		return errors.New("checkpoints: found a monitor: want none, as what it has seen can't be saved")
	case s.Threads > 1:
		return fmt.Errorf("checkpoints: found %d threads: want 1", s.Threads)
	}
	return nil
}

// newCheckpoints numbers the objects of a run, before its first cycle, and checks that the state to begin with is of this run.
func newCheckpoints(r *runner) (*checkpoints, error) {
	c := r.setup.Checkpoints
	if c == nil {
		return nil, nil
	}
	if _, ok := r.machine.Hierarchy.(*akita.Memory); ok {
		return nil, errors.New("checkpoints: found memory.model akita: want analytic, as Akita's components number their messages over the whole process")
	}
	if r.window != nil || slices.Contains(r.modes, config.ModeFunctional) {
		for _, g := range r.graphs { // else it is made when it is first used
			if _, err := g.functionalRun(r.machine, &r.setup.Machine.WorkSpec); err != nil {
				return nil, err
			}
		}
	}
	constant := []any{r.setup.Job, r.setup.Machine, r.programs.modules}
	for _, l := range r.programs.order {
		constant = append(constant, l.code.Program)
	}
	objects, err := checkpoint.Scan(checkpoint.Rules{Constant: constant, Host: hostTypes, LateTypes: madeTypes}, r, r.setup.Tracer)
	if err != nil {
		return nil, err
	}
	made := &checkpoints{Checkpoints: c, objects: objects, timing: r.timing, pending: c.Resume != nil}
	if err := made.identify(&r.setup, r.window); err != nil || c.Resume == nil {
		return made, err
	}
	return made, made.open()
}

// hostTypes are types of values that belong to the process, not to the simulated machine.
var hostTypes = []reflect.Type{
	reflect.TypeFor[guard](), reflect.TypeFor[budget](), reflect.TypeFor[Setup](), reflect.TypeFor[*checkpoints](), reflect.TypeFor[functional.Cache](),
	reflect.TypeFor[context.Context](), reflect.TypeFor[fs.FS](), reflect.TypeFor[probe.Observer](), reflect.TypeFor[program.Program](),
}

// madeTypes are types of values that interfaces of the machine and of the sampler may have from a launch on.
var madeTypes = []reflect.Type{
	reflect.TypeFor[graph.Payloads](), reflect.TypeFor[*sampledLaunch](), reflect.TypeFor[*kernelWork](), reflect.TypeFor[*drawWork](), reflect.TypeFor[*graphWork](),
	reflect.TypeFor[*rand.PCG](),
}

// identify notes what run this is.
func (c *checkpoints) identify(s *Setup, part *config.Time) (err error) {
	h := &c.head
	h.Build, h.Job = c.Build, s.Job.Name
	h.Machine = append([]config.Leaf{{Path: "name", Value: s.Machine.Name}}, s.Machine.AllLeaves()...)
	for _, l := range s.Job.ParameterLeaves() {
		v, _ := s.Job.Parameter(l.Path[len("parameters."):])
		h.Parameters = append(h.Parameters, config.Leaf{Path: l.Path, Value: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	window := "all"
	if part != nil {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		window = string(text)
	}
	h.Run = []config.Leaf{{Path: "mode", Value: s.Mode}, {Path: "time", Value: window}, {Path: "records", Value: fmt.Sprintf("%T", s.Tracer)},
		{Path: "components", Value: fmt.Sprint(s.Components)}}
	h.Digest, err = c.objects.Digest()
	return err
}

// open reads the head of the state to begin with, and compares it with this run.
func (c *checkpoints) open() error {
	c.state = bufio.NewReader(c.Resume)
	magic := make([]byte, len(checkpointMagic))
	if _, err := io.ReadFull(c.state, magic); err != nil || string(magic) != checkpointMagic {
		return fmt.Errorf("%w: its first line is %q: want %q", ErrCheckpoint, magic, checkpointMagic)
	}
	line, err := c.state.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w: its second line: %w", ErrCheckpoint, err)
	}
	var from checkpointHead
	if err := json.Unmarshal(line, &from); err != nil {
		return fmt.Errorf("%w: its second line: %w", ErrCheckpoint, err)
	}
	if err := c.head.compare(&from); err != nil {
		return err
	}
	c.head.checkpointPlace = from.checkpointPlace
	return nil
}

// compare returns an error if a saved state is not of this run.
func (h *checkpointHead) compare(from *checkpointHead) error {
	switch {
	case from.Build != h.Build:
		return fmt.Errorf("%w: found build %s: want %s, which runs", ErrCheckpoint, from.Build, h.Build)
	case from.Job != h.Job:
		return fmt.Errorf("%w: found job %s: want %s", ErrCheckpoint, from.Job, h.Job)
	}
	for _, of := range []struct {
		what       string
		from, want []config.Leaf
	}{{"the job", from.Parameters, h.Parameters}, {"the machine", from.Machine, h.Machine}, {"the run", from.Run, h.Run}} {
		for i := range min(len(of.from), len(of.want)) {
			if found, want := of.from[i], of.want[i]; found.Path != want.Path || found.Value != want.Value {
				return fmt.Errorf("%w: found %s with %s %s: want %s %s", ErrCheckpoint, of.what, found.Path, found.Value, want.Path, want.Value)
			}
		}
		if len(of.from) != len(of.want) {
			return fmt.Errorf("%w: found %d settings of %s: want %d", ErrCheckpoint, len(of.from), of.what, len(of.want))
		}
	}
	if !bytes.Equal(from.Digest, h.Digest) {
		return fmt.Errorf("%w: job %s has other launches, shaders or contents of buffers", ErrCheckpoint, h.Job)
	}
	return nil
}

// betweenLaunches is called before each launch of a round. skip: the launch is before the state to begin with.
func (c *checkpoints) betweenLaunches(at checkpointPlace) (skip, follows bool, err error) {
	if c == nil {
		return false, at.Follows, nil
	}
	if c.pending {
		if at.Round != c.head.Round || at.Launch != c.head.Launch {
			return true, false, nil
		}
		c.pending = false
		return false, c.head.Follows, c.load()
	}
	if c.since++; c.Save == nil || c.since <= c.Every {
		return false, at.Follows, nil
	}
	c.since = 1
	c.timing.current, c.timing.running = nil, nil // of the launch before
	c.head.checkpointPlace = at
	return false, at.Follows, c.Save(c.save)
}

// save writes the state.
func (c *checkpoints) save(w io.Writer) error {
	head, err := json.Marshal(&c.head)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", checkpointMagic, head); err != nil {
		return err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(c.objects.Save(z), z.Close())
}

// load restores the state.
func (c *checkpoints) load() error {
	z, err := zstd.NewReader(c.state, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := c.objects.Load(z); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return nil
}
