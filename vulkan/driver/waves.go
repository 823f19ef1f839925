package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"spvsim/tracing/perfetto"
	"spvsim/tracing/probe"
	"spvsim/vulkan/vk"
)

// observers are the observers of a device's dispatches, and the warnings that were reported.
type observers struct {
	profile *profiler
	waves   *waves
	warned  map[string]once // warnings, by their kind
	checks  *checkFile      // nil: nothing is checked
}

// newWatchers creates the observers that the environment requests.
func newWatchers(d *logicalDevice, mode string, robust bool) observers {
	return observers{newProfiler(d, mode), newWaves(d), map[string]once{}, newCheckFile(robust)}
}

// tracer combines all observers; nil: none.
func (w *observers) tracer() probe.Tracer {
	var list []probe.Tracer
	if w.profile != nil {
		list = append(list, w.profile.collector)
	}
	if w.waves != nil {
		list = append(list, w.waves)
	}
	return probe.Join(list...)
}

// printer writes the output of shaders (NonSemantic.DebugPrintf) to standard error: standard output belongs to the
// application.
type printer struct{}

// Printed implements probe.Observer.
func (printer) Printed(p probe.Print) { fmt.Fprintf(os.Stderr, "spvsim: %s\n", p) }

// waves writes a trace of the waves of chosen dispatches for Perfetto, to a file per process and device in the folder
// SPVSIM_TRACE. Cycles are the device's, and track numbers differ between devices, so that files can be concatenated.
type waves struct {
	*perfetto.Writer
	selected choices
	file     lazyFile
}

// newWaves reads SPVSIM_WAVES, comma-separated patterns, each with an optional count after a colon; SPVSIM_WAVES_CUS,
// compute units; and SPVSIM_WAVES_LIMIT, bytes.
func newWaves(d *logicalDevice) *waves {
	chosen, folder := readChoices("SPVSIM_WAVES", ""), os.Getenv("SPVSIM_TRACE")
	if chosen == nil || folder == "" {
		return nil
	}
	m := d.physical.machine
	o := perfetto.Options{Limit: int64(number("SPVSIM_WAVES_LIMIT")), Process: uint32(os.Getpid())<<6 | uint32(devices+1)&0x3f}
	if units := os.Getenv("SPVSIM_WAVES_CUS"); units != "" {
		var err error
		if o.Units, err = perfetto.ParseRanges(units, m.Units()); err != nil {
			fail(vk.ErrorInitializationFailed, "SPVSIM_WAVES_CUS: %v", err)
		}
	}
	w := &waves{selected: chosen, file: lazyFile{path: filepath.Join(folder, fmt.Sprintf("%d-%d.pftrace", os.Getpid(), devices+1))}}
	w.Writer = perfetto.New(&w.file, o)
	w.SetVisible(false)
	return w
}

// run runs dispatches, and traces them if one is chosen. The trace is flushed to disk at the end, in case the process
// dies.
func (w *waves) run(f func(), names ...string) {
	if w == nil || !slices.ContainsFunc(names, w.selected.selects) {
		f()
		return
	}
	w.SetVisible(true)
	f()
	w.SetVisible(false)
	if err := w.Flush(); err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_TRACE: %v\n", err)
	}
	if note := w.Note(); note != "" {
		fmt.Fprintf(os.Stderr, "spvsim: %s\n", note)
	}
}

// A lazyFile is made with its first bytes.
type lazyFile struct {
	path string
	file *os.File
	err  error
}

// Write implements io.Writer.
func (f *lazyFile) Write(b []byte) (int, error) {
	if f.file == nil && f.err == nil {
		f.file, f.err = os.Create(f.path)
	}
	if f.err != nil {
		return 0, f.err
	}
	return f.file.Write(b)
}
