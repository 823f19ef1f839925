package graph

import "spvsim/cu"

// A blockedBatches is the batches that a queue without free entries keeps out: their waves wait, or ask again after a while.
type blockedBatches struct {
	enter *port // that a wave takes when it asks again
	list  []blockedBatch
}

// A blockedBatch is one, with the wait of its wave.
type blockedBatch struct {
	*batch
	wait *wait
	next uint64 // cycle in which its wave asks again; where it is kept, its last
	last uint64 // from which on it goes to memory
}

// admit lets a batch into the queue, or says that it is kept out.
func (o *spillBuffer) admit(now uint64, b *batch, w *wait) bool {
	s := o.spec
	if s.Full == "spill" || len(o.blocked.list) == 0 && o.hasEntries(b) {
		o.takeEntries(now, b, w)
		return true
	}
	w.outstanding++
	h := blockedBatch{batch: b, wait: w, next: now + uint64(s.FullWait), last: now + uint64(s.FullWait)}
	if s.Full == "retry" {
		h.next = o.countRefusal(now, h.last)
	}
	o.blocked.list = append(o.blocked.list, h)
	o.alarm.Set(h.next)
	return false
}

// hasEntries says that entries are free for a batch; of one that is larger than the queue, that all are.
func (o *spillBuffer) hasEntries(b *batch) bool {
	return o.entriesUsed+min(len(b.payloads), o.depth) <= o.depth
}

// countRefusal counts a refusal in a cycle, and says when the wave asks again.
func (o *spillBuffer) countRefusal(at, last uint64) uint64 {
	o.stats.queue.Refusals++
	return min(at+uint64(o.spec.RetryCycles), max(last, at+1))
}

// admitBlocked lets in what was kept out and finds entries now, or has waited for as long as it may. It says when to be called next.
func (o *spillBuffer) admitBlocked(now uint64) uint64 {
	next, kept := cu.Never, o.blocked.list[:0]
	for _, h := range o.blocked.list {
		if len(kept) > 0 && o.spec.Full == "stall" || !o.admitBlockedBatch(now, &h) {
			next, kept = min(next, h.next), append(kept, h)
		}
	}
	o.blocked.list = kept
	return next
}

// admitBlockedBatch lets one batch in, if that may be: one that asks again takes the port first.
func (o *spillBuffer) admitBlockedBatch(now uint64, h *blockedBatch) bool {
	at := now
	if o.spec.Full == "retry" {
		if h.next > now {
			return false
		}
		at = o.blocked.enter.book(now, len(h.payloads))
	}
	if !o.hasEntries(h.batch) && now < h.last {
		if h.next <= now {
			h.next = o.countRefusal(at, h.last)
		}
		return false
	}
	o.takeEntries(now, h.batch, h.wait)
	h.wait.reply(max(at, o.Engine.Soonest()))
	return true
}
