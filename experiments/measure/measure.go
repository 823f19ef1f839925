package measure

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"spvsim/gpu"
	"spvsim/vulkan/device"
)

// Errors that callers tell apart.
var (
	ErrLacking = errors.New("the device lacks what the job needs")
	ErrValues  = errors.New("the device's results are not what the job expects")
)

// Options are the settings of a measurement.
type Options struct {
	Repetitions int
	WarmUps     int       // repetitions before, which are not counted
	Alone       bool      // each launch is a submission of its own, and waits for the one before on the host
	Deadline    time.Time // zero: none
	// Want, if not nil, has bytes that the buffers must hold at the end: of the job's buffers, in their order.
	Want [][]byte
}

// A Result is what was measured.
type Result struct {
	Total Sample     // of the launches in the job's time window, all by default, each from the end of what came before it to its own end
	Steps []StepTime // in the order of the job
	// Granularity is the shortest time above zero between two timestamps with nothing between them, in microseconds.
	Granularity   float64
	Before, After Clocks
	HostLaunches  int     // copies and waits of the host, which are left out
	Failures      []error // values that are not as wanted
}

// maxLaunches bounds the launches of one submission, which are timed by timestamps of one pool.
const maxLaunches = 1024

// A session is a measurement in progress.
type session struct {
	*work
	o      Options
	stamps *device.Timestamps
	list   []command
}

// Run runs a job on a device, and times it.
func Run(ctx context.Context, p *device.Physical, h *gpu.HardwareJob, o Options) (*Result, error) {
	lacking, err := Lacking(p, h)
	if err != nil {
		return nil, err
	}
	if len(lacking) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrLacking, p.Name, strings.Join(lacking, "; "))
	}
	d, err := p.Open(o.Deadline)
	if err != nil {
		return nil, err
	}
	s := &session{o: o, work: &work{pipelines: map[*gpu.HardwareShader]*device.Pipeline{}, sets: map[string]*device.Sets{}, data: map[string]*device.Buffer{}}}
	if s.memory, err = newMemory(d, h); err != nil {
		d.Close()
		return nil, err
	}
	r, err := s.measure(ctx)
	if err == nil || !errors.Is(err, device.ErrTimeout) && !errors.Is(err, device.ErrLost) {
		d.Close() // a device at work must not be closed, and a lost one need not
	}
	return r, err
}

func (s *session) measure(ctx context.Context) (r *Result, err error) {
	if s.list, err = s.commands(); err != nil {
		return nil, err
	}
	if s.stamps, err = s.d.NewTimestamps(maxLaunches + 1); err != nil {
		return nil, err
	}
	r = &Result{HostLaunches: s.host, Before: readClocks(ctx, s.d.Physical)}
	for _, name := range s.names {
		r.Steps = append(r.Steps, StepTime{Name: name})
	}
	if r.Granularity, err = s.granularity(); err != nil {
		return nil, err
	}
	for i := range s.o.WarmUps + s.o.Repetitions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.repetition(r, i >= s.o.WarmUps); err != nil {
			return nil, err
		}
		if i == 0 {
			if r.Failures, err = s.check(); err != nil {
				return nil, err
			}
		}
	}
	r.After = readClocks(ctx, s.d.Physical)
	return r, nil
}

// repetition runs all rounds of the job from the buffers' first contents. The last round is timed.
func (s *session) repetition(r *Result, counts bool) error {
	if err := s.fill(); err != nil {
		return err
	}
	for round := range s.job.Rounds {
		steps, total, err := s.round(round)
		if err != nil {
			return err
		}
		if !counts || round < s.job.Rounds-1 {
			continue
		}
		r.Total = append(r.Total, total)
		for i := range r.Steps {
			r.Steps[i].Launches = steps[i].launches
			r.Steps[i].Times = append(r.Steps[i].Times, steps[i].us)
		}
	}
	return nil
}

type stepSum struct {
	launches int
	us       float64
}

// round runs the launches of a round, as many in one submission as may be.
func (s *session) round(round int) (steps []stepSum, total float64, err error) {
	steps = make([]stepSum, len(s.names))
	var batch []*command
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		times, err := s.submit(batch)
		if err != nil {
			return err
		}
		for i, c := range batch {
			us := (times[i+1] - times[i]) / nanosecondsAMicrosecond
			steps[c.step].launches++
			steps[c.step].us += us
			if c.timed {
				total += us
			}
		}
		batch = batch[:0]
		return nil
	}
	most := maxLaunches
	if s.o.Alone {
		most = 1
	}
	for i := range s.list {
		if s.list[i].once && round > 0 {
			continue
		}
		if batch = append(batch, &s.list[i]); len(batch) == most {
			if err := flush(); err != nil {
				return nil, 0, err
			}
		}
	}
	return steps, total, flush()
}

const nanosecondsAMicrosecond = 1000

// submit runs launches one after the other, each beginning when the one before has ended, and returns the times between them in
// nanoseconds.
func (s *session) submit(list []*command) ([]float64, error) {
	err := s.d.Do(func(c *device.Commands) error {
		c.Reset(s.stamps)
		c.Barrier()
		c.Write(s.stamps, 0)
		for i, l := range list {
			l.record(c)
			c.Barrier()
			c.Write(s.stamps, i+1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.stamps.Nanoseconds(len(list) + 1)
}

// granularity measures the shortest time between timestamps with nothing between them.
func (s *session) granularity() (float64, error) {
	const count = 64
	err := s.d.Do(func(c *device.Commands) error {
		c.Reset(s.stamps)
		for i := range count {
			c.Write(s.stamps, i)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	times, err := s.stamps.Nanoseconds(count)
	if err != nil {
		return 0, err
	}
	least := 0.0
	for i := 1; i < count; i++ {
		if step := times[i] - times[i-1]; step > 0 && (least == 0 || step < least) {
			least = step
		}
	}
	return least / nanosecondsAMicrosecond, nil
}

// check compares the buffers with what the job expects and with what the caller wants.
func (s *session) check() ([]error, error) {
	got, err := s.read()
	if err != nil {
		return nil, err
	}
	failures := s.job.Check(func(i int) []byte { return got[i] }, func(name string) uint64 { b := s.buffers[s.job.Find(name)]; return b.Address + b.offset })
	for i := range s.o.Want {
		b := &s.job.Buffers[i]
		if len(b.Addresses) > 0 || b.Parent >= 0 || bytes.Equal(got[i], s.o.Want[i]) {
			continue
		}
		failures = append(failures, difference(b.Name, got[i], s.o.Want[i]))
	}
	return failures, nil
}

// difference names the first word of a buffer that differs, and the number of those.
func difference(name string, got, want []byte) error {
	first, count := -1, 0
	for at := 0; at < len(want); at += 4 {
		if end := min(at+4, len(want)); !bytes.Equal(got[at:end], want[at:end]) {
			if count++; first < 0 {
				first = at
			}
		}
	}
	word := func(b []byte) uint32 {
		var full [4]byte
		copy(full[:], b[first:])
		return binary.LittleEndian.Uint32(full[:])
	}
	return fmt.Errorf("%s: the 4 bytes from byte %d on: found %#08x on the device, %#08x in the simulation (%d of %d words differ)", name, first, word(got), word(want), count, (len(want)+3)/4)
}
