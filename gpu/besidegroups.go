package gpu

import (
	"cmp"
	"slices"

	"spvsim/account"
	"spvsim/config"
	"spvsim/simd"
)

// Sampled runs take launches that overlap for one, the group that they form. Where all that is left waits for all before, a group ends.

// maxCutLaunches bounds the launches among which such places are looked for: as many as hazards are.
const maxCutLaunches = maxHazardLaunches

// A groupSteps is what the launches of groups came to by step, and the names of all steps in the job's order.
type groupSteps struct {
	tally
	names []string
}

// cuts are the launches of each group, in an order that what they wait for allows.
func cuts(g *group, queues int) (parts [][]int) {
	if len(g.launches) > maxCutLaunches {
		return [][]int{g.order}
	}
	reach, n := before(g, queues), len(g.order)
	ends := []int{n} // of groups, from the last to the first
	all := slices.Repeat([]uint64{^uint64(0)}, (len(g.launches)+63)/64)
	for at := n - 1; at > 0; at-- {
		for w, bits := range reach[g.order[at]] {
			all[w] &= bits // what each launch from here on waits for
		}
		if covers(all, g.order[:at]) {
			ends = append(ends, at)
		}
	}
	from := 0
	for _, end := range slices.Backward(ends) {
		parts = append(parts, g.order[from:end])
		from = end
	}
	return parts
}

// before finds for each launch which others have ended when it begins: those that it waits for, and those that the one before it in its
// queue does, as a queue goes on in order.
func before(g *group, queues int) [][]uint64 {
	reach, last := g.waits(), make([]int, queues)
	for _, i := range g.order {
		l := g.launches[i]
		if k := last[l.queue]; k > 0 {
			for w, bits := range reach[k-1] {
				reach[i][w] |= bits
			}
		}
		for _, k := range l.after {
			for w, bits := range reach[k] {
				reach[i][w] |= bits
			}
		}
		last[l.queue] = i + 1
	}
	return reach
}

// covers says whether a set has all of a list.
func covers(set []uint64, list []int) bool {
	for _, i := range list {
		if set[i/64]>>(i%64)&1 == 0 {
			return false
		}
	}
	return true
}

// part is some launches of the group as a group of their own, which comes after those before.
func part(g *group, order []int) *group {
	sub := &group{machine: g.machine, spec: g.spec, tally: g.tally, noun: g.noun, chosen: g.chosen}
	number := map[int]int{}
	for _, i := range slices.Sorted(slices.Values(order)) {
		number[i] = len(sub.launches)
		l := *g.launches[i]
		l.group, l.after = sub, nil
		sub.launches = append(sub.launches, &l)
		if own := l.graph(); own != nil && !slices.Contains(sub.graphs, own) {
			sub.graphs = append(sub.graphs, own)
		}
		sub.list = withEach(sub.list, l.codes)
	}
	for _, i := range order {
		sub.order = append(sub.order, number[i])
		for _, k := range g.launches[i].after {
			if at, ok := number[k]; ok {
				sub.launches[number[i]].after = append(sub.launches[number[i]].after, at)
			}
		}
	}
	return sub
}

// withEach adds programs that a list does not have.
func withEach(list, more []*simd.Code) []*simd.Code {
	for _, c := range more {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// intoGroups makes launches of the groups that a job's queues divide into. One that is a launch alone is that.
func intoGroups(r *runner, g *group, calls []config.QueueCall) error {
	r.inGroups = &groupSteps{}
	for i := range r.launches {
		r.inGroups.names = append(r.inGroups.names, r.launches[i].step)
	}
	g.tally = &r.inGroups.tally
	var list []launch
	name := unusedStep(r.launches)
	before := -1 // the only queue of the group before; -1: several
	for _, order := range cuts(g, len(calls)) {
		sub := part(g, order)
		queue := queueOfAll(sub.launches)
		if l := sub.launches[0]; len(order) == 1 && (queue == before || list == nil) && !calls[queue].Limited && l.release == nil && l.acquire == nil {
			list = append(list, *l.launch)
			before = queue
			continue
		}
		if list != nil && (queue < 0 || queue != before) {
			sub.pause = uint64(g.spec.FrontEnd.SignalCycles)
		}
		if err := sub.line(calls); err != nil {
			return err
		}
		list = append(list, launch{step: name, mode: config.ModeSampled, from: sub.launches[0].from, work: sub})
		before = queue
	}
	r.launches = list
	return nil
}

// queueOfAll is the queue of all launches; -1: they are of several.
func queueOfAll(list []*besideLaunch) int {
	for _, l := range list {
		if l.queue != list[0].queue {
			return -1
		}
	}
	return list[0].queue
}

// unusedStep is the name of groups in the tally, which no step has.
func unusedStep(list []launch) string {
	name := "queues"
	for slices.ContainsFunc(list, func(l launch) bool { return l.step == name }) {
		name += "'"
	}
	return name
}

// ofGroups puts what groups came to, and their launches alone and the steps' of groups, together: the whole is of groups, and steps
// have what their launches did.
func ofGroups(r *runner) {
	if r.inGroups == nil {
		return
	}
	steps := r.inGroups.names
	t, whole := r.tally, &account.Counts{}
	for i := range t.steps {
		whole.Add(&t.steps[i].Counts)
	}
	t.whole = whole
	t.steps = slices.DeleteFunc(t.steps, func(s account.StepCounts) bool { return !slices.Contains(steps, s.Name) })
	for i := range r.inGroups.steps {
		s := &r.inGroups.steps[i]
		k := slices.IndexFunc(t.steps, func(o account.StepCounts) bool { return o.Name == s.Name })
		if k < 0 {
			t.steps = append(t.steps, *s)
			continue
		}
		t.steps[k].Add(&s.Counts)
	}
	slices.SortStableFunc(t.steps, func(a, b account.StepCounts) int {
		return cmp.Compare(slices.Index(steps, a.Name), slices.Index(steps, b.Name))
	})
}
