package gpu

import "spvsim/account"

// A history is what is known of the launches before the one at hand, as far as it matters for what that finds in the caches.
type history struct {
	last preceding // launch
	held signature // of the launch whose lines the caches hold; of size 0: that is not known
}

// A preceding launch comes before another one.
type preceding struct {
	launch *launch
	kernel *kernel // nil: not one that may run again
	like   signature
	base   *alike // the stratum of its signature
	held   bool   // the caches hold its lines
}

// ran adds a launch.
func (h *history) ran(p preceding) {
	if h.last = p; p.held {
		h.held = p.like
	}
}

// after is the stratum of the launch before, if that asks for something else; nil: it is like the launch at hand, or not known.
func (h *history) after(x *signature, s *sampler) *alike {
	if h.last.base == nil || x.alike(&h.last.like, s.Sampling) {
		return nil
	}
	return h.last.base
}

// fits says whether the caches hold the lines of the launch before, or of one like it and of about its size.
func (h *history) fits(s *sampler) bool {
	was, is := &h.held, &h.last.like
	return h.last.held || was.size > 0 && was.alike(is, s.Sampling) && max(was.size/is.size, is.size/was.size) <= 1+s.SizesApart
}

// bringBack runs the launch before the one at hand once more without time, so that the caches hold its lines as they would if it had been
// timed. Memory and counts are as before then. It does not where the caches fit, or what it writes is too much to put back.
func (s *sampler) bringBack() error {
	p := &s.history.last
	if p.kernel == nil || s.history.fits(s) {
		return nil
	}
	written := p.kernel.written()
	if !s.mayPutBack(written, uint64(p.like.size)) {
		return nil
	}
	u, store := s.untimed, s.timing.machine.store
	did, seen, faults := u.did, len(u.faults), store.Faults
	counted := append([]account.InstCount(nil), issuedOf(p.kernel.Code)...)
	s.kept.keep(written)
	_, err := u.run(p.launch.work, whole(p.kernel), true)
	s.kept.putBack(written)
	issuedOf(p.kernel.Code)
	copy(p.kernel.Code.Counts, counted)
	u.did, u.faults, store.Faults = did, u.faults[:seen], faults
	p.held, s.history.held = true, p.like
	return err
}
