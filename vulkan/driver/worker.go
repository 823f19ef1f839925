package driver

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"spvsim/vulkan/vk"
)

// A worker runs the submissions of a device. If launches may overlap, submissions are collected until the application
// waits for or queries a result; they are then planned and run together, so that the overlap does not depend on the
// host's time. Otherwise each runs as soon as it may: one at a time, each queue's in order, and the queues' in the
// order of submission as far as their waits allow.
type worker struct {
	device      *logicalDevice
	serial      bool          // launches run one after the other
	pending     []*submission // not planned, or in part
	plans       []*plan       // to run
	running     []*submission // of the current plan or submission
	idleActions []func()      // when nothing is pending
	started     bool
	closing     bool
	waiting     int  // calls that wait for work
	blocked     bool // pending work waits for the application
	timer       *time.Timer

	hazards  once
	overlaps uint64 // number of groups of launches that ran concurrently
}

func newWorker(d *logicalDevice) *worker {
	return &worker{device: d, serial: d.serial(), hazards: once{}}
}

// serial reports whether launches run one after the other: functional runs have no time in which they could overlap,
// and captured dispatches or those chosen for timing run alone.
func (d *logicalDevice) serial() bool {
	s := readSettings()
	return s.mode == "functional" || s.overlap == "none" || d.captures != nil || d.timing != nil
}

func (w *worker) busy() bool { return len(w.running)+len(w.pending)+len(w.plans) > 0 }

// runs reports whether work runs, or is about to.
func (w *worker) runs() bool { return len(w.running)+len(w.plans) > 0 }

// has reports whether a queue has work that has not ended.
func (w *worker) has(q *queue) bool {
	of := func(s *submission) bool { return s.queue == q }
	return slices.ContainsFunc(w.running, of) || slices.ContainsFunc(w.pending, of) ||
		slices.ContainsFunc(w.plans, func(p *plan) bool { return slices.ContainsFunc(p.submissions, of) })
}

// whenIdle does something when no submission is pending.
func (w *worker) whenIdle(f func()) {
	if !w.busy() {
		f()
		return
	}
	w.idleActions = append(w.idleActions, f)
}

// finish ends the worker: work that has not begun is dropped.
func (w *worker) finish() {
	w.pending, w.plans, w.closing = nil, nil, true
	if w.timer != nil {
		w.timer.Stop()
	}
	changed.Broadcast()
	for len(w.running) > 0 {
		changed.Wait()
	}
}

// Collected work begins after so many commands, or so much host time, even if the application does not wait: for
// programs that only poll memory.
const (
	maxCommands = 1 << 12
	maxIdle     = 10 * time.Second
)

// submit adds a submission to the pending ones, and wakes the worker.
func (w *worker) submit(s *submission) {
	w.pending = append(w.pending, s)
	commands := 0
	for _, p := range w.pending {
		commands += p.commands()
	}
	for _, b := range s.buffers {
		b.pending++
	}
	if !w.started {
		w.started = true
		go w.loop()
	}
	if w.waiting > 0 || commands > maxCommands {
		w.seal()
	} else if !w.serial {
		w.sealLater()
	}
	changed.Broadcast()
}

func (w *worker) sealLater() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(maxIdle, func() {
		state.Lock()
		defer state.Unlock()
		w.seal()
	})
}

// wait waits until holds returns true.
func (w *worker) wait(holds func() bool) {
	w.waiting++
	defer func() { w.waiting-- }()
	w.seal()
	defer w.device.reportEndlessWait()()
	for !holds() {
		changed.Wait()
	}
}

// sealBlocked plans the work that waited for the application.
func (w *worker) sealBlocked() {
	if w.blocked {
		w.seal()
	}
}

// seal plans the pending work that need not wait for the application.
func (w *worker) seal() {
	if w.serial || w.closing || len(w.pending) == 0 {
		return
	}
	p := newPlan(w.device)
	p.single = w.single()
	for w.planSome(p) {
	}
	w.blocked = len(w.pending) > 0
	if !p.empty() {
		w.plans = append(w.plans, p)
		changed.Broadcast()
	}
}

// single reports whether all commands are of one queue.
func (w *worker) single() bool {
	var of *queue
	for _, s := range w.pending {
		switch {
		case s.commands() == 0:
		case of == nil:
			of = s.queue
		case of != s.queue:
			return false
		}
	}
	return true
}

// planSome makes one pass over the pending submissions, and reports whether another pass may plan more.
func (w *worker) planSome(p *plan) (again bool) {
	stopped := map[*queue]bool{}
	for _, s := range slices.Clone(w.pending) {
		if stopped[s.queue] || !s.ready() {
			stopped[s.queue] = true
			continue
		}
		begun := s.nextCommand
		if p.submission(s) {
			w.pending = slices.DeleteFunc(w.pending, func(o *submission) bool { return o == s })
			again = true
			continue
		}
		again = again || begun != s.nextCommand
		stopped[s.queue] = true
	}
	return again
}

// pick removes and returns the first submission that may begin.
func (w *worker) pick() *submission {
	stopped := map[*queue]bool{}
	for i, s := range w.pending {
		if stopped[s.queue] {
			continue
		}
		if !slices.ContainsFunc(s.waits, func(p point) bool { return !p.reached() }) {
			w.pending = slices.Delete(w.pending, i, i+1)
			return s
		}
		stopped[s.queue] = true
	}
	return nil
}

func (w *worker) loop() {
	state.Lock()
	defer state.Unlock()
	for {
		if !w.busy() && w.idleActions != nil {
			for _, f := range w.idleActions {
				f()
			}
			w.idleActions = nil
		}
		if w.closing {
			return
		}
		if !w.next() {
			changed.Wait()
		}
	}
}

// next runs the next plan or submission; false: there is none.
func (w *worker) next() bool {
	if len(w.plans) > 0 {
		p := w.plans[0]
		w.plans = w.plans[1:]
		w.runPlan(p)
		return true
	}
	if !w.serial {
		return false
	}
	s := w.pick()
	if s != nil {
		w.run(s)
	}
	return s != nil
}

// runPlan carries a plan out, without holding up calls of the application.
func (w *worker) runPlan(p *plan) {
	w.running = p.submissions
	for i, s := range p.segments {
		w.machine(func() error { return s.run(w.device, i > 0) })
		if i == len(p.segments)-1 {
			w.device.observers.profile.writeIfDue()
		}
		w.device.observers.checks.write(w.device.gpu)
		for _, f := range s.finishes {
			f()
		}
		changed.Broadcast()
	}
	w.running = nil
	changed.Broadcast()
}

// run carries a submission out, without holding up calls of the application.
func (w *worker) run(s *submission) {
	w.running = []*submission{s}
	for _, p := range s.waits {
		p.consume()
	}
	d := w.device
	w.machine(func() error {
		x := &executor{device: d, queue: s.queue, replayed: d.captures.submission(d, s)}
		return x.submission(s)
	})
	d.observers.profile.writeIfDue()
	d.observers.checks.write(d.gpu)
	for _, p := range s.signals {
		p.signal()
	}
	s.finish()
	w.running = nil
	changed.Broadcast()
}

// machine runs f on the machine while calls of the application continue; an error of f loses the device.
func (w *worker) machine(f func() error) {
	d := w.device
	d.idle.beginWork(d.clock.Load())
	defer d.idle.endWork()
	if d.lost != nil {
		return
	}
	state.Unlock()
	err := caught(f)
	state.Lock()
	if err != nil {
		d.lost = err
		refuse("queue", misuse{vk.ErrorDeviceLost, "the device is lost: " + err.Error()})
		if d.physical.spoofing.goesOn {
			time.AfterFunc(lostTimeout, endProcess)
		}
	}
}

// caught runs f, and turns a panic into an error.
func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", misuseOf(p).text)
			if os.Getenv("SPVSIM_DRIVER_TRACE") != "" {
				debug.PrintStack()
			}
		}
	}()
	debug.SetPanicOnFault(true)
	return f()
}

func (x *executor) submission(s *submission) error {
	for _, b := range s.buffers {
		if err := x.run(b.commands); err != nil {
			return err
		}
	}
	return nil
}

// lostTimeout is the host time after which a program that may wait for a lost device forever is ended.
const lostTimeout = 2 * time.Second

// endProcess ends the application: Mesa's OpenCL driver waits for a lost device forever.
func endProcess() {
	fmt.Fprintln(os.Stderr, "spvsim: the program is ended: its device was lost, for which Mesa's OpenCL driver waits forever")
	WriteAtExit()
	os.Exit(1)
}
