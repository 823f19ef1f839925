package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/expression"
	"spvsim/internal/lists"
	"spvsim/tracing/accesses"
	"spvsim/tracing/daisen"
	"spvsim/tracing/monitor"
	"spvsim/tracing/perfetto"
	"spvsim/tracing/probe"
	"spvsim/tracing/profile"
)

// traceFlags select the records that a run writes while it runs.
type traceFlags struct {
	trace    string
	from, to uint64
	units    string
	limit    string
	profile  string
	series   string
	counters string
	accesses accessesFlags
	daisen   string
	monitor  string
	counted  bool // a listing has the accesses of each instruction
	// the profile after the run; nil: not requested, or nothing ran
	runProfile *profile.Profile
}

func (f *traceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.trace, "trace", "", "write a Perfetto trace to this `file` (open it at ui.perfetto.dev)")
	addInteger(flags, &f.from, "trace-from", 0, 0, manyCycles, "first `cycle` of the trace")
	addInteger(flags, &f.to, "trace-to", 0, 0, manyCycles, "`cycle` at which the trace ends; 0: at the end of the run")
	flags.StringVar(&f.units, "trace-cus", "", "trace only these compute `units`, counted over all shader engines: 0,3-5 (default all)")
	flags.StringVar(&f.profile, "profile", "", "write a profile (where the simulated time went) as JSON to this `file`, for spvsim report")
	flags.StringVar(&f.daisen, "daisen", "", "write tasks through Akita's tracer to this `file` (.sqlite3), for its viewer Daisen; only in builds with -tags akita")
	flags.StringVar(&f.monitor, "monitor", "", "serve Akita's live monitor on this `port` of the loopback interface while the job runs; 0: any port; only in builds with -tags akita")
	flags.StringVar(&f.series, "series", "", "write occupancy, queue depth and bandwidth over time as CSV to this `file`")
	flags.StringVar(&f.accesses.file, "accesses", "", "write an address trace to this `file` as Parquet: a row for each line of each access to memory, with its cycle, unit, wave, pc, kind and the farthest level that was reached")
	flags.StringVar(&f.accesses.limit, "accesses-limit", "512M", "end the address trace, with a note, at this number of `bytes` (K, M, G); 0: no limit")
	flags.StringVar(&f.counters, "counters", "", "write the counts of each compute unit, cache slice and memory channel, of the run and over time, to this `file` as Parquet")
	flags.StringVar(&f.limit, "trace-limit", "512M", "end the trace, with a note in it, at this number of `bytes` (K, M, G); 0: no limit")
}

// A record is a tracer with the file that it writes.
type record struct {
	probe.Tracer
	finish func(*gpu.Result) error // the result is nil when there was no run
}

// records creates the requested records. They are finished when the run has ended, well or not.
func (f *traceFlags) records(c *cobra.Command, s *gpu.Setup) (list []record, err error) {
	if f.counted || f.profiles() || f.trace != "" && s.Machine.Energies().HasTable() {
		list = append(list, f.profiled(c, s))
	}
	if err := f.unused(c); err != nil {
		return nil, err
	}
	makers := []struct {
		wanted bool
		make   func(*cobra.Command, *gpu.Setup) (record, error)
	}{{f.trace != "", f.perfetto}, {f.daisen != "", f.tasks}, {f.accesses.file != "", f.addresses}, {f.from > 0, f.windowed}, {f.monitor != "", f.monitored}}
	for _, m := range makers {
		if !m.wanted {
			continue
		}
		r, err := m.make(c, s)
		if err != nil {
			return nil, errors.Join(err, finish(list, nil))
		}
		list = append(list, r)
	}
	return list, nil
}

// profiles reports whether a file of the profile is requested.
func (f *traceFlags) profiles() bool { return f.profile != "" || f.series != "" || f.counters != "" }

// tasks writes Akita's database.
func (f *traceFlags) tasks(_ *cobra.Command, s *gpu.Setup) (record, error) {
	o, err := f.options(s.Machine)
	if err != nil {
		return record{}, err
	}
	w, err := daisen.New(f.daisen, o.From, o.To, o.Units.Has)
	if err != nil {
		return record{}, fmt.Errorf("--daisen: %w", err)
	}
	return record{w, func(*gpu.Result) error { return w.Close() }}, nil
}

// accessesFlags select the address trace.
type accessesFlags struct{ file, limit string }

// addresses writes the address trace.
func (f *traceFlags) addresses(c *cobra.Command, s *gpu.Setup) (record, error) {
	o, err := f.options(s.Machine)
	if err != nil {
		return record{}, err
	}
	limit, err := parseBytes(f.accesses.limit)
	if err != nil {
		return record{}, fmt.Errorf("--accesses-limit: %w", err)
	}
	if limit != 0 && limit < accesses.MinLimit {
		return record{}, fmt.Errorf("--accesses-limit %s: want at least %d bytes, or 0 for no limit", f.accesses.limit, accesses.MinLimit)
	}
	file, err := create(c, f.accesses.file)
	if err != nil {
		return record{}, err
	}
	w := accesses.New(file, accesses.Options{From: o.From, To: o.To, Limit: limit, Units: o.Units.Has})
	return record{w, func(*gpu.Result) error {
		if note := w.Note(); note != "" {
			fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: %s\n", f.accesses.file, note)
		}
		return errors.Join(w.Close(), file.Close())
	}}, nil
}

// window records the cycle in which the run ends, for traces that begin late.
type window struct {
	probe.NopTracer
	end  uint64 // of the last launch
	open int    // launches that have not ended: the run was cut short
}

func (w *window) LaunchBegin(*probe.LaunchInfo) { w.open++ }
func (w *window) LaunchEnd(end uint64)          { w.end, w.open = max(w.end, end), w.open-1 }

// windowed refuses traces that begin after the run's end: they are empty.
func (f *traceFlags) windowed(*cobra.Command, *gpu.Setup) (record, error) {
	w := &window{}
	return record{w, func(*gpu.Result) error {
		if w.open > 0 || w.end == 0 || f.from < w.end {
			return nil
		}
		return fmt.Errorf("--trace-from %d: want a cycle before the end of the run, %d", f.from, w.end)
	}}, nil
}

// monitored serves the live monitor.
func (f *traceFlags) monitored(c *cobra.Command, s *gpu.Setup) (record, error) {
	port, err := expression.ParseWithin(f.monitor, 0, math.MaxUint16)
	if err != nil {
		return record{}, fmt.Errorf("--monitor: %w", err)
	}
	m, err := monitor.New(int(port))
	if err != nil {
		return record{}, fmt.Errorf("--monitor: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "spvsim: the monitor is at %s\n", m.URL())
	s.Attach = m.Attach
	shown := s.Progress
	s.Progress = func(p gpu.Progress) {
		m.Progress(p.Ended, p.Running, p.Total)
		if shown != nil {
			shown(p)
		}
	}
	return record{nil, func(*gpu.Result) error { return m.Close() }}, nil
}

// profiled accumulates the profile of the run. It is finished before the trace, which includes its power.
func (f *traceFlags) profiled(c *cobra.Command, s *gpu.Setup) record {
	collector := profile.NewCollector()
	return record{collector, func(r *gpu.Result) error {
		if r == nil || r.Stats.Launches == 0 {
			return nil
		}
		collector.ListAccesses(r.Listings)
		if !f.profiles() && f.trace == "" {
			return nil
		}
		p, err := newProfile(s.Job, collector, s.Machine, r)
		f.runProfile = p
		if err == nil && f.profile != "" {
			err = writeTo(c, f.profile, p.WriteJSON)
		}
		if err == nil && f.series != "" {
			err = writeTo(c, f.series, p.WriteCSV)
		}
		if err == nil && f.counters != "" {
			err = writeTo(c, f.counters, p.WriteCounters)
		}
		return err
	}}
}

// unused refuses flags of records that are not requested.
func (f *traceFlags) unused(c *cobra.Command) error {
	cut := f.trace != "" || f.daisen != "" || f.accesses.file != ""
	for _, of := range []struct {
		flag, want string
		used       bool
	}{
		{"trace-from", "--trace, --accesses or --daisen", cut}, {"trace-to", "--trace, --accesses or --daisen", cut}, {"trace-cus", "--trace, --accesses or --daisen", cut},
		{"trace-limit", "--trace or --daisen", f.trace != "" || f.daisen != ""}, {"accesses-limit", "--accesses", f.accesses.file != ""},
	} {
		if !of.used && c.Flags().Changed(of.flag) {
			return fmt.Errorf("--%s: want %s with it", of.flag, of.want)
		}
	}
	return nil
}

func (f *traceFlags) perfetto(c *cobra.Command, s *gpu.Setup) (record, error) {
	o, err := f.options(s.Machine)
	if err != nil {
		return record{}, err
	}
	file, err := create(c, f.trace)
	if err != nil {
		return record{}, err
	}
	w := perfetto.New(file, o)
	return record{w, func(*gpu.Result) error {
		if f.runProfile != nil {
			p := f.runProfile
			w.Power("", p.FirstCycle, p.Series.BinCycles, p.Watts())
			for _, g := range p.GroupWatts() {
				w.Power(g.Name, p.FirstCycle, p.Series.BinCycles, g.Watts)
			}
		}
		if w.Note() != "" {
			fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: %s\n", f.trace, w.Note())
		}
		return errors.Join(w.Close(), file.Close())
	}}, nil
}

func (f *traceFlags) options(m *config.Machine) (o perfetto.Options, err error) {
	o = perfetto.Options{From: f.from, To: f.to}
	if f.to != 0 && f.to <= f.from {
		return o, fmt.Errorf("--trace-to %d: want a cycle after --trace-from %d", f.to, f.from)
	}
	if f.units != "" {
		if o.Units, err = perfetto.ParseRanges(f.units, m.ShaderEngines*m.ComputeUnits); err != nil {
			return o, fmt.Errorf("--trace-cus: %w", err)
		}
	}
	if o.Limit, err = parseBytes(f.limit); err != nil {
		return o, fmt.Errorf("--trace-limit: %w", err)
	}
	if o.Limit != 0 && o.Limit < perfetto.MinLimit {
		return o, fmt.Errorf("--trace-limit %s: want at least %d bytes, or 0 for no limit", f.limit, perfetto.MinLimit)
	}
	return o, nil
}

// parseBytes reads a number of bytes: 512M.
func parseBytes(s string) (int64, error) {
	number, shift := s, 0
	if n := len(s); n > 0 {
		if i := strings.IndexByte("KMG", s[n-1]); i >= 0 {
			number, shift = s[:n-1], 10*(i+1)
		}
	}
	v, err := expression.ParseWithin(number, 0, math.MaxUint32)
	if err != nil {
		return 0, fmt.Errorf("found %q: want a number of bytes, such as 4096, 64K, 512M or 2G", s)
	}
	return v << shift, nil
}

// join connects the records with a run.
func join(s *gpu.Setup, list []record) {
	tracers := lists.Map(list, func(r record) probe.Tracer { return r.Tracer })
	s.Tracer = probe.Join(tracers...)
}

// finish ends all records.
func finish(list []record, result *gpu.Result) error {
	errs := lists.Map(list, func(r record) error { return r.finish(result) })
	return errors.Join(errs...)
}
