package graph

import "spvsim/cu"

// A held is the batches that a queue without free entries keeps out: their waves wait, or ask again after a while.
type held struct {
	enter *port // that a wave takes when it asks again
	list  []heldBatch
}

// A heldBatch is one, with the wait of its wave.
type heldBatch struct {
	*batch
	wait *wait
	next uint64 // cycle in which its wave asks again; where it is kept, its last
	last uint64 // from which on it goes to memory
}

// admit lets a batch into the queue, or says that it is kept out.
func (o *overflow) admit(now uint64, b *batch, w *wait) bool {
	s := o.spec
	if s.Full == "spill" || len(o.held.list) == 0 && o.fits(b) {
		o.enter(now, b, w)
		return true
	}
	w.legs++
	h := heldBatch{batch: b, wait: w, next: now + uint64(s.FullWait), last: now + uint64(s.FullWait)}
	if s.Full == "retry" {
		h.next = o.refuse(now, h.last)
	}
	o.held.list = append(o.held.list, h)
	o.alarm.Set(h.next)
	return false
}

// fits says that entries are free for a batch; of one that is larger than the queue, that all are.
func (o *overflow) fits(b *batch) bool { return o.chip+min(len(b.payloads), o.depth) <= o.depth }

// refuse counts a refusal in a cycle, and says when the wave asks again.
func (o *overflow) refuse(at, last uint64) uint64 {
	o.stats.queue.Refusals++
	return min(at+uint64(o.spec.RetryCycles), max(last, at+1))
}

// admitHeld lets in what was kept out and finds entries now, or has waited for as long as it may. It says when to be called next.
func (o *overflow) admitHeld(now uint64) uint64 {
	next, kept := cu.Never, o.held.list[:0]
	for _, h := range o.held.list {
		if len(kept) > 0 && o.spec.Full == "stall" || !o.admitted(now, &h) {
			next, kept = min(next, h.next), append(kept, h)
		}
	}
	o.held.list = kept
	return next
}

// admitted lets one batch in, if that may be: one that asks again takes the port first.
func (o *overflow) admitted(now uint64, h *heldBatch) bool {
	at := now
	if o.spec.Full == "retry" {
		if h.next > now {
			return false
		}
		at = o.held.enter.take(now, len(h.payloads))
	}
	if !o.fits(h.batch) && now < h.last {
		if h.next <= now {
			h.next = o.refuse(at, h.last)
		}
		return false
	}
	o.enter(now, h.batch, h.wait)
	h.wait.leg(max(at, o.Engine.Soonest()))
	return true
}
