package driver

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spvsim/account"
	"spvsim/config"
	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A profiler accumulates the profile of a device's dispatches, and writes it to a file in the folder SPVSIM_PROFILE.
// The file is rewritten as work ends, so that it survives a crash of the application.
type profiler struct {
	device    *logicalDevice
	collector *profile.Collector
	steps     []account.StepCounts
	byName    map[string]int
	folder    string
	changed   bool
	writeTime time.Duration // duration of the last write
	writtenAt time.Time     // when that was
	timer     *time.Timer
}

// newProfiler returns a profiler if SPVSIM_PROFILE is set; sampled and functional runs have no complete profile.
func newProfiler(d *logicalDevice, mode string) *profiler {
	folder := os.Getenv("SPVSIM_PROFILE")
	if folder == "" || cmp.Or(mode, config.Modes[0]) != config.Modes[0] {
		return nil
	}
	return &profiler{device: d, collector: profile.NewCollector(), byName: map[string]int{}, folder: folder}
}

// count adds a dispatch to the counts of its name.
func (p *profiler) count(w *row) {
	if p == nil {
		return
	}
	i, ok := p.byName[w.name]
	if !ok {
		i = len(p.steps)
		p.byName[w.name] = i
		p.steps = append(p.steps, account.StepCounts{Name: w.name})
	}
	p.changed = true
	p.steps[i].Add(&w.counts)
	if m := p.device.physical.machine; w.kind == "transfer" {
		p.steps[i].Slots[account.Empty] += w.counts.Cycles * uint64(m.Units()*m.UnitSlots())
	}
}

// Writing may take 1/profileShare of the time; the rest is written once the device has been idle for profileIdle.
const (
	profileShare = 10
	profileIdle  = 100 * time.Millisecond
)

// writeIfDue writes the file now or soon. Nothing runs on the device, and state is held.
func (p *profiler) writeIfDue() {
	if p == nil || !p.changed {
		return
	}
	if time.Since(p.writtenAt) > profileShare*p.writeTime {
		p.write()
		return
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(profileIdle, func() {
		state.Lock()
		defer state.Unlock()
		if len(p.device.worker.running) == 0 {
			p.write()
		}
	})
}

// write replaces the file if the profile has changed: it writes a new file next to it, and renames that. No work runs
// on the device, and state is held.
func (p *profiler) write() {
	if p == nil || !p.changed {
		return
	}
	began := time.Now()
	err := p.save()
	p.changed, p.writtenAt = false, time.Now()
	p.writeTime = p.writtenAt.Sub(began)
	if err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_PROFILE: %v\n", err)
	}
}

func (p *profiler) save() error {
	m := p.device.physical.machine
	s := &tracing.Stats{Machine: m.Name, ClockMHz: m.ClockMHz, Steps: p.steps}
	for i := range p.steps {
		s.Counts.Add(&p.steps[i].Counts)
	}
	if s.Cycles == 0 {
		return nil
	}
	made, err := profile.New(&config.Job{Name: filepath.Base(programName())}, p.collector, m, s, p.device.gpu.Listings())
	if err != nil {
		return err
	}
	path := filepath.Join(p.folder, fmt.Sprintf("%d-%d.json", os.Getpid(), p.device.number))
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	err = made.WriteJSON(f)
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// programName is the application's.
func programName() string {
	if name, err := os.Executable(); err == nil {
		return name
	}
	return "program"
}

// WriteAtExit writes the profiles and traces of devices that the application did not destroy, when its process ends. If a
// call or work holds the state for long, nothing is written: the process must not wait forever.
func WriteAtExit() {
	for range 50 {
		if state.TryLock() {
			defer state.Unlock()
			for _, o := range objects {
				if d, ok := o.x.(*logicalDevice); ok && len(d.worker.running) == 0 {
					d.observers.profile.write()
				}
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
