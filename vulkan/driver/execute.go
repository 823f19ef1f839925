package driver

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"time"

	"spvsim/account"
	"spvsim/gpu"
	"spvsim/mem"
	"spvsim/program"
)

// An executor runs the commands of one submission on the machine.
type executor struct {
	device   *logicalDevice
	queue    *queue
	labels   []string
	open     []*account.Counts // of queries
	notFirst bool              // something ran before in this submission
	plan     *capture          // capturing: commands become steps of a job, and nothing runs
	replayed *replayed         // everything ran as a job; nil: nothing did
	// The plan of work that runs together: commands are added to the batch, in the lane of their queue.
	batch   *plan
	lane    *lane
	blocked bool // the command waits for something that is not planned
}

// copy returns an executor for one of its commands, on an idle machine.
func (x *executor) copy() executor {
	return executor{device: x.device, queue: x.queue, labels: slices.Clone(x.labels), open: slices.Clone(x.open)}
}

func (x *executor) run(commands []commandFunc) error {
	for _, w := range commands {
		if err := w(x); err != nil {
			return err
		}
	}
	return nil
}

// A dispatch holds the bindings at the time of its recording.
type dispatch struct {
	bindings
	title        string
	programs     []*program.Program // that read its bindings
	base, groups [3]uint32
	indirect     mem.Descriptor // where the groups are; of nothing: they are known
}

// run executes the dispatch on the machine.
func (d *dispatch) run(x *executor) error {
	if x.batch != nil {
		return x.batch.dispatch(x, d)
	}
	name, groups := labelled(x.labels, d.title), d.size()
	if slices.Contains(groups[:], 0) && (d.indirect.Bytes == nil || x.plan == nil && x.replayed == nil) {
		return nil
	}
	if x.plan != nil {
		return x.plan.addDispatch(name, d)
	}
	if err := d.tooMany(groups); err != nil {
		return err
	}
	begin, started := x.device.gpu.Cycle(), time.Now()
	counts, file, err := d.execute(x, name, groups)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if counts.Launches == 0 {
		return nil // an indirect dispatch of zero workgroups in its job
	}
	x.device.record(x, &row{
		busy: x.busy(counts), kind: "dispatch", name: name, pipeline: d.title, entry: d.pipeline.entry, module: d.pipeline.digest, groups: groups,
		beginCycle: begin, counts: *counts, captured: file, host: time.Since(started),
	})
	x.notFirst = true
	return nil
}

// busy returns the cycles of a launch without the dispatcher's launch cost.
func (x *executor) busy(c *account.Counts) uint64 {
	d, cost := &x.device.physical.machine.Dispatcher, 0
	if cost = d.KernelLaunchCycles; x.notFirst {
		cost = d.FollowingLaunch
	}
	return c.Cycles - min(c.Cycles, uint64(cost))
}

// execute runs the dispatch directly, or as a job if it is to be captured.
func (d *dispatch) execute(x *executor, name string, groups [3]uint32) (counts *account.Counts, captured string, err error) {
	if counts, file, told := x.nextReplayed(); told {
		return counts, file, nil
	}
	if c := x.device.captures; c.capturesAlone(name) {
		now := *d
		now.groups, now.indirect = groups, mem.Descriptor{}
		told, err := c.run(x.device, name, func(p *capture) error { return p.addDispatch(name, &now) })
		if err == nil {
			counts, file := told.next(x.device)
			return counts, file, nil
		}
		fmt.Fprintf(os.Stderr, "spvsim: %s is not captured: %v\n", name, err)
	}
	x.device.observers.waves.run(func() {
		counts, err = x.device.gpu.Run(context.Background(), &gpu.Dispatch{
			Name: name, Kind: d.title, Untimed: x.device.untimed(name), Kernel: d.pipeline.kernel, Groups: groups, Arguments: d.indirect.Addr, Base: d.base, Elements: d.elements(), Push: d.push, FollowsDispatch: x.notFirst,
		})
	}, name)
	return counts, "", err
}

// size returns the number of workgroups, which an indirect dispatch reads now.
func (d *dispatch) size() (groups [3]uint32) {
	if d.indirect.Bytes == nil {
		return d.groups
	}
	for i := range groups {
		groups[i] = binary.LittleEndian.Uint32(d.indirect.Bytes[4*i:])
	}
	return groups
}

// elements are the descriptors of each of the program's bindings.
func (d *dispatch) elements() [][]mem.Descriptor { return d.elementsOf(d.pipeline.kernel.Program) }

// elementsOf resolves sets, which the application may write meanwhile if a binding allows it.
func (d *dispatch) elementsOf(p *program.Program) [][]mem.Descriptor {
	state.Lock()
	defer state.Unlock()
	return d.elementsNow(p)
}

// elementsNow is the same where state is held.
func (d *dispatch) elementsNow(p *program.Program) (list [][]mem.Descriptor) {
	for i := range p.Bindings {
		want := &p.Bindings[i]
		if int(want.Set) >= len(d.sets) || d.sets[want.Set].set == nil {
			list = append(list, make([]mem.Descriptor, want.Count))
			continue
		}
		s := &d.sets[want.Set]
		list = append(list, s.set.resolve(want, s.dynamic, func(why string) {
			d.sets[want.Set].layout.device.warn("dispatch", "%s: %s: %s: it counts as null", d.title, bindingName(want), why)
		}))
	}
	return list
}
