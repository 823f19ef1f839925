package judge

import (
	"cmp"
	"context"
	"io"

	"spvsim/config"
	"spvsim/gpu"
)

// An Inspection selects shaders to compare, and the detail to show.
type Inspection struct {
	Machine *config.Machine
	Job     *config.Job // run to count executions of blocks; nil: none
	Shaders []gpu.Shader
	Entry   string // entry point to show; empty: all
	Values  []config.SpecValue
	Listing bool // show the instructions of blocks
}

// Inspect compares each shader, and writes the comparisons.
func Inspect(ctx context.Context, w io.Writer, in *Inspection) error {
	d, err := Open()
	if err != nil {
		return err
	}
	list, err := in.shaderUses(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		c, err := d.Compare(&list[i], in.Machine)
		if err == nil {
			err = c.Write(w, in.Listing)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *Inspection) shaderUses(ctx context.Context) (list []Shader, err error) {
	all := in.staticUses()
	if in.Job != nil {
		if all, err = Run(ctx, in.Job, in.Machine); err != nil {
			return nil, err
		}
	}
	for _, s := range all {
		if in.Entry == "" || s.Launch.Entry == in.Entry {
			list = append(list, s)
		}
	}
	return list, nil
}

// staticUses returns the uses of shaders without a run of a job.
func (in *Inspection) staticUses() (list []Shader) {
	for i := range in.Shaders {
		s := &in.Shaders[i]
		for _, use := range s.Uses {
			use.Entry = cmp.Or(use.Entry, in.Entry)
			list = append(list, Shader{Name: s.Name, Module: s.Module, Launch: &use, Values: in.Values})
		}
	}
	return list
}
