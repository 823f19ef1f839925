package driver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"spvsim/gpu"
	"spvsim/internal/lists"
	"spvsim/vulkan/vk"
)

// A queue executes submissions in order.
type queue struct {
	handle        uint64
	device        *logicalDevice
	family, index int
	priority      string // of the hardware queue
	labels        []string
}

// hardware returns the hardware queue: compute queues are assigned to the machine's pipes round robin, copy queues to a
// pipe of their own.
func (q *queue) hardware() gpu.DeviceQueue {
	return gpu.DeviceQueue{Name: q.name(), Priority: q.priority, Pipe: q.index, Copies: q.family == copying}
}

func (q *queue) name() string { return fmt.Sprintf("%d.%d", q.family, q.index) }

// A submission is the work of a queue between its waits and its signals.
type submission struct {
	queue   *queue
	waits   []point
	buffers []*commandBuffer
	signals []point
	fence   *fence
	// State of a submission that is planned, in part or all: its executor, and the next command.
	context     *executor
	nextCommand struct{ buffer, command int }
	described   map[*object]bool // that descriptors refer to
	finished    bool
}

// A point is a value of a timeline semaphore; binary semaphores have none.
type point struct {
	semaphore *semaphore
	value     uint64
	stages    vk.PipelineStageFlagBits2 // that wait for it
}

// finish releases the submission's objects to the application.
func (s *submission) finish() {
	s.finished = true
	for _, b := range s.buffers {
		b.submissionEnded()
	}
	if s.fence != nil {
		s.fence.signaled, s.fence.pending = true, false
	}
}

// commands returns the number of commands of all its buffers.
func (s *submission) commands() (n int) {
	return lists.Sum(s.buffers, func(b *commandBuffer) int { return len(b.commands) })
}

func QueueSubmit(h vk.Queue, count uint32, infos *vk.SubmitInfo, fenceHandle vk.Fence) vk.Result {
	q := mustLookUp[*queue](uint64(h))
	var list []*submission
	for _, i := range items(infos, count) {
		s := &submission{queue: q, described: map[*object]bool{}}
		values := next[vk.TimelineSemaphoreSubmitInfo](i.PNext, vk.StructureTypeTimelineSemaphoreSubmitInfo)
		if values == nil {
			values = &vk.TimelineSemaphoreSubmitInfo{}
		}
		s.waits = points(items(i.PWaitSemaphores, i.WaitSemaphoreCount), itemsIf(values.PWaitSemaphoreValues, values.WaitSemaphoreValueCount))
		for k, stage := range itemsIf(i.PWaitDstStageMask, i.WaitSemaphoreCount) {
			s.waits[k].stages = vk.PipelineStageFlagBits2(stage)
		}
		s.signals = points(items(i.PSignalSemaphores, i.SignalSemaphoreCount), itemsIf(values.PSignalSemaphoreValues, values.SignalSemaphoreValueCount))
		for _, b := range items(i.PCommandBuffers, i.CommandBufferCount) {
			s.add(b)
		}
		list = append(list, s)
	}
	return q.submit(list, fenceHandle)
}

func QueueSubmit2(h vk.Queue, count uint32, infos *vk.SubmitInfo2, fenceHandle vk.Fence) vk.Result {
	q := mustLookUp[*queue](uint64(h))
	var list []*submission
	for _, i := range items(infos, count) {
		s := &submission{queue: q, described: map[*object]bool{}}
		s.waits = points2(items(i.PWaitSemaphoreInfos, i.WaitSemaphoreInfoCount))
		s.signals = points2(items(i.PSignalSemaphoreInfos, i.SignalSemaphoreInfoCount))
		for _, b := range items(i.PCommandBufferInfos, i.CommandBufferInfoCount) {
			s.add(b.CommandBuffer)
		}
		list = append(list, s)
	}
	return q.submit(list, fenceHandle)
}

// QueueBindSparse is vkQueueBindSparse: with nothing to bind, waits and signals alone.
func QueueBindSparse(h vk.Queue, count uint32, infos *vk.BindSparseInfo, fenceHandle vk.Fence) vk.Result {
	mustLookUp[*queue](uint64(h))
	fail(vk.ErrorFeatureNotPresent, "no queue binds sparse memory")
	return vk.Success
}

func (q *queue) submit(list []*submission, fenceHandle vk.Fence) vk.Result {
	if q.device.lost != nil {
		return vk.ErrorDeviceLost
	}
	q.checkAgain(list)
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
		s.promise()
		q.device.worker.submit(s)
	}
	return vk.Success
}

// checkAgain refuses one-time command buffers that are submitted again, and warns about pending ones without
// simultaneous use.
func (q *queue) checkAgain(list []*submission) {
	seen := map[*commandBuffer]bool{}
	for _, s := range list {
		for _, b := range s.buffers {
			again := b.pending > 0 || seen[b]
			if again && b.once {
				fail(vk.ErrorUnknown, "%v was recorded with VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, and is submitted again", b.object)
			}
			if again && !b.simultaneous {
				q.device.warn("vkQueueSubmit", "%v is submitted again before it has ended, and was recorded without VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT", b.object)
			}
			seen[b] = true
		}
	}
}

// add appends a command buffer to a submission.
func (s *submission) add(h vk.CommandBuffer) {
	b := mustLookUp[*commandBuffer](uint64(h))
	switch {
	case b.state != recorded:
		fail(vk.ErrorUnknown, "a command buffer that is not ready: its recording did not end, or it was reset")
	case b.secondary:
		fail(vk.ErrorUnknown, "a secondary command buffer")
	case b.pool.family != s.queue.family:
		fail(vk.ErrorUnknown, "%v is of queue family %d, and the queue of family %d", b.object, b.pool.family, s.queue.family)
	}
	s.check(b)
	s.buffers = append(s.buffers, b)
}

// promise keeps account of the signals that binary semaphores will have, and warns of waits without one and of signals that are one too many.
func (s *submission) promise() {
	d := s.queue.device
	for _, p := range s.waits {
		if p.semaphore.timeline {
			continue
		}
		if p.semaphore.promised == 0 {
			d.warn("vkQueueSubmit", "the submission waits for %v, which nothing that was submitted signals: it begins when something does", p.semaphore.object)
			continue
		}
		p.semaphore.promised--
	}
	for _, p := range s.signals {
		switch g := p.semaphore; {
		case g.timeline && p.value <= g.value:
			d.warn("vkQueueSubmit", "the submission signals value %d of %v, which is at %d", p.value, g.object, g.value)
		case !g.timeline && g.promised > 0:
			d.warn("vkQueueSubmit", "the submission signals %v, whose signal before nothing waited for", g.object)
		case !g.timeline:
			g.promised++
		}
	}
}

// points pairs semaphores with values, which binary semaphores ignore.
func points(list []vk.Semaphore, values []uint64) (out []point) {
	for i, h := range list {
		p := point{semaphore: mustLookUp[*semaphore](uint64(h))}
		if i < len(values) {
			p.value = values[i]
		}
		out = append(out, p)
	}
	return out
}

// points2 returns the points of vkQueueSubmit2.
func points2(list []vk.SemaphoreSubmitInfo) (out []point) {
	for _, p := range list {
		out = append(out, point{mustLookUp[*semaphore](uint64(p.Semaphore)), p.Value, vk.PipelineStageFlagBits2(p.StageMask)})
	}
	return out
}

func QueueWaitIdle(h vk.Queue) vk.Result {
	q := mustLookUp[*queue](uint64(h))
	q.device.worker.wait(func() bool { return q.device.lost != nil || !q.device.worker.has(q) })
	return q.device.result()
}

// await waits until holds returns true, or for timeout nanoseconds; false: timed out. With timeouts of simulated time,
// the timeout is checked as each dispatch ends, and host time counts while nothing runs.
func (d *logicalDevice) await(timeout uint64, holds func() bool) bool {
	d.worker.waiting++
	defer func() { d.worker.waiting-- }()
	d.worker.seal()
	if timeout > 0 {
		defer d.reportEndlessWait()()
	}
	if !d.byClock {
		return await(timeout, holds)
	}
	for begin := d.nanoseconds(); !holds(); {
		ended, running := d.nanoseconds()-begin >= timeout, d.worker.runs()
		switch {
		case ended && (running || timeout == 0):
			return false
		case running:
			changed.Wait()
		case !await(timeout, func() bool { return holds() || d.worker.runs() }):
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

// labelled prefixes a name with its labels.
func labelled(labels []string, name string) string {
	return strings.Join(append(slices.Clone(labels), name), "/")
}
