package validate

import "slices"

// fall records that a case falls through to another one. A case falls through to at most one other, and no two to the
// same (section 2.11.2).
func (g *graph) fall(v, w int32, r *report) {
	from, c := g.caseOf[v], g.cases[w]
	if c == nil || from < 0 || from == w || w == c.merge || g.cases[from] != c {
		return
	}
	if to, ok := g.falls[from]; ok && to != w {
		r.faultAt(g.f.Blocks[v].Terminator(), "control flow", "the case of %%%d goes on to %%%d and to %%%d: want one case at most", g.id(from), g.id(to), g.id(w))
	}
	g.falls[from] = w
}

// caseOrder tests that a case which falls through to another one, possibly through the default, is listed immediately
// before it, and is the only one to do so.
func (g *graph) caseOrder(header int32, r *report) {
	t := g.f.Blocks[header].Terminator()
	other, listed := g.next[header][0], g.next[header][1:]
	by := map[int32]int32{}
	for _, from := range g.next[header] {
		to, falls := g.falls[from]
		if !falls {
			continue
		}
		if was, ok := by[to]; ok && was != from {
			r.faultAt(t, "control flow", "the cases of %%%d and %%%d both go on to %%%d: want one", g.id(was), g.id(from), g.id(to))
		}
		by[to] = from
		if to == other && !slices.Contains(listed, other) {
			if to, falls = g.falls[other]; !falls {
				continue
			}
		}
		if from != other && !precedes(listed, from, to) {
			r.faultAt(t, "control flow", "the case of %%%d goes on to %%%d: want it immediately before that in the list", g.id(from), g.id(to))
		}
	}
}

// precedes reports whether one target comes immediately before another in a list, in which a target may be several times in a row.
func precedes(list []int32, one, other int32) bool {
	for i := range list[:max(len(list)-1, 0)] {
		if list[i] == one && list[i+1] == other {
			return true
		}
	}
	return false
}
