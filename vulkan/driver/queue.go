package driver

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"spvsim/vulkan/vk"
)

// A queue takes submissions in order.
type queue struct {
	handle        uint64
	device        *device_
	family, index int
	labels        []string
}

// A submission is what a queue runs between its waits and its signals.
type submission struct {
	queue   *queue
	waits   []point
	buffers []*commandBuffer
	signals []point
	fence   *fence
}

// A point is a value of a semaphore; a binary one has none.
type point struct {
	semaphore *semaphore
	value     uint64
}

// A worker runs the submissions of a device: one at a time, each queue's in order, the queues' in the order of submission as far as what
// they wait for allows.
type worker struct {
	device  *device_
	list    []*submission
	running *submission
	later   []func() // when nothing is pending
	started bool
	closing bool
}

func newWorker(d *device_) *worker { return &worker{device: d} }

func (w *worker) busy() bool { return w.running != nil || len(w.list) > 0 }

// after does something when no submission is pending.
func (w *worker) after(f func()) {
	if !w.busy() {
		f()
		return
	}
	w.later = append(w.later, f)
}

// finish ends the worker: what has not begun is dropped.
func (w *worker) finish() {
	w.list, w.closing = nil, true
	changed.Broadcast()
	for w.running != nil {
		changed.Wait()
	}
}

// submit hands in work. A goroutine that waits for some takes it.
func (w *worker) submit(s *submission) {
	w.list = append(w.list, s)
	for _, b := range s.buffers {
		b.pending++
	}
	if !w.started {
		w.started = true
		go w.loop()
	}
	changed.Broadcast()
}

// pick takes the first submission that may begin.
func (w *worker) pick() *submission {
	blocked := map[*queue]bool{}
	for i, s := range w.list {
		if blocked[s.queue] {
			continue
		}
		if !slices.ContainsFunc(s.waits, func(p point) bool { return !p.reached() }) {
			w.list = slices.Delete(w.list, i, i+1)
			return s
		}
		blocked[s.queue] = true
	}
	return nil
}

func (w *worker) loop() {
	state.Lock()
	defer state.Unlock()
	for {
		if len(w.list) == 0 && w.later != nil {
			for _, f := range w.later {
				f()
			}
			w.later = nil
		}
		if w.closing {
			return
		}
		s := w.pick()
		if s == nil {
			changed.Wait()
			continue
		}
		w.run(s)
	}
}

// run carries a submission out, without holding up calls of the application.
func (w *worker) run(s *submission) {
	w.running = s
	for _, p := range s.waits {
		p.consume()
	}
	w.device.idle.begin()
	defer w.device.idle.end()
	if d := w.device; d.lost == nil {
		state.Unlock()
		err := execute(d, s)
		state.Lock()
		if err != nil {
			d.lost = err
			report("queue", misuse{vk.ErrorDeviceLost, "the device is lost: " + err.Error()})
		}
		d.watch.profile.keep()
	}
	for _, b := range s.buffers {
		b.ended()
	}
	for _, p := range s.signals {
		p.signal()
	}
	if s.fence != nil {
		s.fence.signaled, s.fence.pending = true, false
	}
	w.running = nil
	changed.Broadcast()
}

// execute runs the commands of a submission.
func execute(d *device_, s *submission) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", misuseOf(p).text)
			if os.Getenv("SPVSIM_DRIVER_TRACE") != "" {
				debug.PrintStack()
			}
		}
	}()
	debug.SetPanicOnFault(true)
	x := &executor{device: d, queue: s.queue, told: d.captures.submission(d, s)}
	return x.submission(s)
}

func (x *executor) submission(s *submission) error {
	for _, b := range s.buffers {
		if err := x.run(b.commands); err != nil {
			return err
		}
	}
	return nil
}

// QueueSubmit is vkQueueSubmit.
func QueueSubmit(h vk.Queue, count uint32, infos *vk.SubmitInfo, fenceHandle vk.Fence) vk.Result {
	q := get[*queue](uint64(h))
	var list []*submission
	for _, i := range items(infos, count) {
		s := &submission{queue: q}
		values := next[vk.TimelineSemaphoreSubmitInfo](i.PNext, vk.StructureTypeTimelineSemaphoreSubmitInfo)
		if values == nil {
			values = &vk.TimelineSemaphoreSubmitInfo{}
		}
		s.waits = points(items(i.PWaitSemaphores, i.WaitSemaphoreCount), items(values.PWaitSemaphoreValues, values.WaitSemaphoreValueCount))
		s.signals = points(items(i.PSignalSemaphores, i.SignalSemaphoreCount), items(values.PSignalSemaphoreValues, values.SignalSemaphoreValueCount))
		for _, b := range items(i.PCommandBuffers, i.CommandBufferCount) {
			s.add(b)
		}
		list = append(list, s)
	}
	return q.submit(list, fenceHandle)
}

// QueueSubmit2 is vkQueueSubmit2.
func QueueSubmit2(h vk.Queue, count uint32, infos *vk.SubmitInfo2, fenceHandle vk.Fence) vk.Result {
	q := get[*queue](uint64(h))
	var list []*submission
	for _, i := range items(infos, count) {
		s := &submission{queue: q}
		for _, p := range items(i.PWaitSemaphoreInfos, i.WaitSemaphoreInfoCount) {
			s.waits = append(s.waits, point{get[*semaphore](uint64(p.Semaphore)), p.Value})
		}
		for _, p := range items(i.PSignalSemaphoreInfos, i.SignalSemaphoreInfoCount) {
			s.signals = append(s.signals, point{get[*semaphore](uint64(p.Semaphore)), p.Value})
		}
		for _, b := range items(i.PCommandBufferInfos, i.CommandBufferInfoCount) {
			s.add(b.CommandBuffer)
		}
		list = append(list, s)
	}
	return q.submit(list, fenceHandle)
}

// QueueBindSparse is vkQueueBindSparse: with nothing to bind, waits and signals alone.
func QueueBindSparse(h vk.Queue, count uint32, infos *vk.BindSparseInfo, fenceHandle vk.Fence) vk.Result {
	get[*queue](uint64(h))
	fail(vk.ErrorFeatureNotPresent, "no queue binds sparse memory")
	return vk.Success
}

func (q *queue) submit(list []*submission, fenceHandle vk.Fence) vk.Result {
	if q.device.lost != nil {
		return vk.ErrorDeviceLost
	}
	f := optional[*fence](uint64(fenceHandle))
	if f != nil && (f.signaled || f.pending) {
		fail(vk.ErrorUnknown, "the fence is signaled or in use")
	}
	if f != nil {
		f.pending = true
		if len(list) == 0 {
			list = append(list, &submission{queue: q})
		}
		list[len(list)-1].fence = f
	}
	for _, s := range list {
		q.device.work.submit(s)
	}
	return vk.Success
}

// add puts a command buffer after the others of a submission.
func (s *submission) add(h vk.CommandBuffer) {
	b := get[*commandBuffer](uint64(h))
	switch {
	case b.state != recorded:
		fail(vk.ErrorUnknown, "a command buffer that is not ready: its recording did not end, or it was reset")
	case b.secondary:
		fail(vk.ErrorUnknown, "a secondary command buffer")
	}
	s.buffers = append(s.buffers, b)
}

// points pairs semaphores with values; those of binary ones are not looked at.
func points(list []vk.Semaphore, values []uint64) (out []point) {
	for i, h := range list {
		p := point{semaphore: get[*semaphore](uint64(h))}
		if i < len(values) {
			p.value = values[i]
		}
		out = append(out, p)
	}
	return out
}

// QueueWaitIdle is vkQueueWaitIdle.
func QueueWaitIdle(h vk.Queue) vk.Result {
	q := get[*queue](uint64(h))
	w := q.device.work
	for q.device.lost == nil && (w.running != nil && w.running.queue == q || slices.ContainsFunc(w.list, func(s *submission) bool { return s.queue == q })) {
		changed.Wait()
	}
	return q.device.result()
}

// await waits until something holds, at most as many nanoseconds; false: it does not hold by then. Where timeouts are of simulated time, that is
// looked at as each dispatch ends, and the host's counts while nothing runs.
func (d *device_) await(timeout uint64, holds func() bool) bool {
	if !d.byClock {
		return await(timeout, holds)
	}
	for begin := d.nanoseconds(); !holds(); {
		ended, running := d.nanoseconds()-begin >= timeout, d.work.running != nil
		switch {
		case ended && (running || timeout == 0):
			return false
		case running:
			changed.Wait()
		case !await(timeout, func() bool { return holds() || d.work.running != nil }):
			return false
		}
	}
	return true
}

// await is the same, of the host's time alone.
func await(timeout uint64, holds func() bool) bool {
	const forever = uint64(1) << 62
	var end time.Time
	if timeout < forever {
		end = time.Now().Add(time.Duration(timeout))
		t := time.AfterFunc(time.Duration(timeout), func() {
			state.Lock()
			defer state.Unlock()
			changed.Broadcast()
		})
		defer t.Stop()
	}
	for !holds() {
		if timeout < forever && !time.Now().Before(end) {
			return false
		}
		changed.Wait()
	}
	return true
}

// labelled is a name with those of the labels around it.
func labelled(labels []string, name string) string {
	return strings.Join(append(slices.Clone(labels), name), "/")
}
