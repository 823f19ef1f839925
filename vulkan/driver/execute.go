package driver

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spvsim/account"
	"spvsim/gpu"
	"spvsim/mem"
	"spvsim/program"
)

// An executor runs the commands of one submission on the machine.
type executor struct {
	device  *device_
	queue   *queue
	labels  []string
	open    []*account.Counts // of queries
	follows bool              // something ran before in this submission
}

func (x *executor) run(commands []work) error {
	for _, w := range commands {
		if err := w(x); err != nil {
			return err
		}
	}
	return nil
}

// A dispatch is one with what was bound when it was recorded.
type dispatch struct {
	bindings
	title        string
	base, groups [3]uint32
	indirect     []byte // where the groups are; nil: they are known
}

// run executes the dispatch on the machine.
func (d *dispatch) run(x *executor) error {
	groups := d.groups
	if d.indirect != nil {
		for i := range groups {
			groups[i] = binary.LittleEndian.Uint32(d.indirect[4*i:])
		}
	}
	if groups[0] == 0 || groups[1] == 0 || groups[2] == 0 {
		return nil
	}
	name := labelled(x.labels, d.title)
	begin, started := x.device.gpu.Cycle(), time.Now()
	counts, file, err := d.execute(x, name, groups)
	x.follows = true
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	x.device.record(x, &row{
		kind: "dispatch", name: name, pipeline: d.title, entry: d.pipeline.entry, module: d.pipeline.digest, groups: groups,
		begin: begin, counts: *counts, captured: file, host: time.Since(started),
	})
	return nil
}

// execute runs the dispatch where it is, or as a job where it is to be captured.
func (d *dispatch) execute(x *executor, name string, groups [3]uint32) (counts *account.Counts, captured string, err error) {
	if c := x.device.captures; c != nil && c.rules.take(name) {
		one := &capture{capturer: c, device: x.device, dispatch: d, groups: groups, elements: d.elements()}
		counts, err := one.run(name)
		if err == nil {
			return counts, filepath.Base(one.file), nil
		}
		fmt.Fprintf(os.Stderr, "spvsim: %s is not captured: %v\n", name, err)
	}
	counts, err = x.device.gpu.Run(context.Background(), &gpu.Dispatch{
		Name: name, Kind: d.title, Untimed: x.device.untimed(name), Kernel: d.pipeline.kernel, Groups: groups, Base: d.base, Elements: d.elements(), Push: d.push, Follows: x.follows,
	})
	return counts, "", err
}

// elements are the descriptors of each of the program's bindings.
func (d *dispatch) elements() [][]mem.Descriptor { return d.elementsOf(d.pipeline.kernel.Program) }

// elementsOf looks at sets that the application may write meanwhile, where a binding allows it.
func (d *dispatch) elementsOf(p *program.Program) (list [][]mem.Descriptor) {
	state.Lock()
	defer state.Unlock()
	for i := range p.Bindings {
		want := &p.Bindings[i]
		if int(want.Set) >= len(d.sets) || d.sets[want.Set].set == nil {
			list = append(list, make([]mem.Descriptor, want.Count))
			continue
		}
		s := &d.sets[want.Set]
		list = append(list, s.set.resolve(want, s.dynamic))
	}
	return list
}
