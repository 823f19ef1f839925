package config

import (
	"cmp"
	"fmt"
	"slices"
)

// A Queue is a hardware queue with its steps.
type Queue struct {
	Name     string `yaml:"name" doc:"name of the queue in results; left out: its number, from 0"`
	Priority string `yaml:"priority" enum:"low|medium|high|realtime" doc:"priority of its packets and workgroups, if the machine uses priorities (front_end.turns, dispatcher.share); left out: medium"`
	Pipe     Expr   `yaml:"pipe" doc:"pipe that serves the queue, counted from 0; left out: queues go to the pipes in turn"`
	Units    []Expr `yaml:"units" items:"2..2" doc:"first and last compute unit of each shader engine that its workgroups may use, counted from 0; left out: all"`
	Steps    []Step `yaml:"steps" doc:"steps of the queue, in order"`
}

// QueueCall is a queue with all expressions evaluated.
type QueueCall struct {
	Name     string
	Priority string
	Pipe     int // -1: in turn
	Units    [2]int
	Limited  bool // Units counts
	Path     string
}

// maxQueues and maxEdges bound the queues and dependences of a job.
const (
	maxQueues = 1024
	maxEdges  = 1 << 22
)

// allSteps are the steps of the job, and of its queues.
func (j *Job) allSteps() [][]Step {
	list := [][]Step{j.Steps}
	for i := range j.Queues {
		list = append(list, j.Queues[i].Steps)
	}
	return list
}

// ruleQueues checks queues, and that keys of theirs are used in them alone.
func ruleQueues(j *Job) []problem {
	ps := besideProblems(j.Steps, "steps")
	switch {
	case len(j.Queues) > maxQueues:
		return append(ps, problem{"queues", fmt.Sprintf("found %d: want at most %d", len(j.Queues), maxQueues), ErrLimit})
	case len(j.Queues) > 0 && (len(j.Steps) > 0 || len(j.Dispatch) > 0 || len(j.Global) > 0 || j.Draw != nil || len(j.Graph) > 0):
		return append(ps, problem{"queues", "found another way to start work: want one of queues, steps, dispatch, global, draw and graph", ErrRange})
	}
	names := map[string]bool{}
	for i := range j.Queues {
		q, p := &j.Queues[i], indexPath("queues", i)
		if len(q.Steps) == 0 {
			ps = append(ps, problem{p + ".steps", "missing: want the steps of the queue", ErrMissing})
		}
		if q.Name != "" && names[q.Name] {
			ps = append(ps, problem{p + ".name", fmt.Sprintf("found %q, which is the name of another queue: want a new name", q.Name), ErrRange})
		}
		names[q.Name] = true
		ps = append(ps, j.stepProblems(q.Steps, p+".steps", j.Shader != "")...)
		ps = append(ps, waitProblems(q.Steps, p+".steps")...)
	}
	return ps
}

// waitProblems refuses waits of the host in queues, which it has filled before any of them begins.
func waitProblems(steps []Step, at string) (ps []problem) {
	for i := range steps {
		p := indexPath(at, i)
		if steps[i].Synchronize {
			ps = append(ps, problem{p + ".synchronize", "found synchronize in a queue, but the host fills all queues before any of them begins: want after, or steps instead of queues", ErrRange})
		}
		ps = append(ps, waitProblems(steps[i].Steps, p+".steps")...)
	}
	return ps
}

// besideProblems refuses keys about the overlap of steps outside of queues.
func besideProblems(steps []Step, at string) (ps []problem) {
	for i := range steps {
		s, p := &steps[i], indexPath(at, i)
		if len(s.After) > 0 {
			ps = append(ps, problem{p + ".after", "found in a step outside of queues, where steps run in order: want queues", ErrRange})
		}
		if s.Release != nil || s.Acquire != nil {
			ps = append(ps, problem{p, "found release or acquire in a step outside of queues: want queues", ErrRange})
		}
		if !s.Barrier {
			ps = append(ps, problem{p + ".barrier", "found in a step outside of queues, where steps run in order: want queues", ErrRange})
		}
		ps = append(ps, besideProblems(s.Steps, p+".steps")...)
	}
	return ps
}

// QueueCalls returns the job's queues; none: its steps run in order.
func (j *Job) QueueCalls() ([]QueueCall, error) {
	list, ps := j.queueCalls()
	return list, withPositions(ps, j.positions)
}

func (j *Job) queueCalls() (list []QueueCall, ps []problem) {
	for i := range j.Queues {
		c, bad := j.queueCall(i)
		list, ps = append(list, c), append(ps, bad...)
	}
	return list, ps
}

func (j *Job) queueCall(i int) (c QueueCall, ps []problem) {
	q, p := &j.Queues[i], indexPath("queues", i)
	c = QueueCall{Name: q.Name, Priority: q.Priority, Limited: len(q.Units) == 2, Path: p}
	c.Name = cmp.Or(c.Name, fmt.Sprint(i))
	c.Priority = cmp.Or(c.Priority, "medium")
	pipe, err := q.Pipe.evalInt(j.scope, -1, -1, maxQueues)
	if err == nil && q.Pipe != "" && pipe < 0 {
		err = fmt.Errorf("found %d: want 0 or more", pipe)
	}
	if err != nil {
		ps = append(ps, problem{p + ".pipe", err.Error(), ErrRange})
	}
	c.Pipe = int(pipe)
	for k := range q.Units {
		n, err := q.Units[k].evalInt(j.scope, 0, 0, 1<<16)
		if err != nil {
			ps = append(ps, problem{indexPath(p+".units", k), err.Error(), ErrRange})
			continue
		}
		c.Units[k] = int(n)
	}
	if c.Units[1] < c.Units[0] {
		ps = append(ps, problem{p + ".units", fmt.Sprintf("found %d to %d: want the last not before the first", c.Units[0], c.Units[1]), ErrRange})
	}
	return c, ps
}

// queues unrolls the steps of all queues, and resolves the dependences of each launch.
func (u *unroller) queues(top Step) {
	j := u.job
	for i := range j.Queues {
		first := len(u.out)
		top.Steps = j.Queues[i].Steps
		u.steps(&placedStep{Step: top, path: indexPath("queues", i)}, j.scope)
		for k := first; k < len(u.out); k++ {
			u.out[k].Queue = i
		}
	}
	if u.problems == nil {
		u.depend()
	}
}

// depend turns names and barriers into numbers of launches.
func (u *unroller) depend() {
	byName := map[string][]int{}
	var names []string
	for i := range u.out {
		name := u.out[i].Step
		if byName[name] == nil && name != "" {
			names = append(names, name)
		}
		byName[name] = append(byName[name], i)
	}
	first, edges := 0, 0
	for i := range u.out {
		l := &u.out[i]
		if i > 0 && u.out[i-1].Queue != l.Queue {
			first = i
		}
		for _, name := range u.waitNames[i] {
			from := byName[name]
			if name == "" || from == nil {
				u.problems = append(u.problems, problem{l.Path + ".after", fmt.Sprintf("found %q: want the name of a step%s", name, Hint(name, names)), ErrReference})
				return
			}
			l.After = append(l.After, from...)
		}
		if l.Barrier {
			l.After = append(l.After, u.sinceBarrier(first, i)...)
		}
		slices.Sort(l.After)
		l.After = slices.Compact(l.After)
		if edges += len(l.After); edges > maxEdges {
			u.problems = append(u.problems, problem{l.Path, fmt.Sprintf("found more than %d waits of launches for others: want fewer", maxEdges), ErrLimit})
			return
		}
	}
	if _, stuck := Order(u.out); stuck >= 0 {
		l := &u.out[stuck]
		u.problems = append(u.problems, problem{l.Path, fmt.Sprintf("found a cycle: step %q waits for itself, through after and the steps before it in its queue", l.Step), ErrRange})
	}
}

// sinceBarrier returns the launches of a queue that a barrier before launch i waits for: those back to the last one
// with a barrier of its own, which waited for all before it.
func (u *unroller) sinceBarrier(first, i int) (list []int) {
	for k := i - 1; k >= first; k-- {
		list = append(list, k)
		if u.out[k].Barrier {
			break
		}
	}
	return list
}

// Order returns an order of launches in which each follows those that it waits for and those before it in its queue;
// among the possible, the lowest number comes first. stuck is a launch that can't begin, or -1.
func Order(list []Launch) (order []int, stuck int) {
	waits, next := make([]int, len(list)), make([][]int, len(list))
	edge := func(from, to int) {
		waits[to]++
		next[from] = append(next[from], to)
	}
	for i := range list {
		for _, from := range list[i].After {
			edge(from, i)
		}
		if i > 0 && list[i-1].Queue == list[i].Queue {
			edge(i-1, i)
		}
	}
	var ready heapOf
	for i, n := range waits {
		if n == 0 {
			ready.push(i)
		}
	}
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, i)
		for _, to := range next[i] {
			if waits[to]--; waits[to] == 0 {
				ready.push(to)
			}
		}
	}
	if len(order) == len(list) {
		return order, -1
	}
	return nil, slices.IndexFunc(waits, func(n int) bool { return n > 0 })
}

// heapOf pops the lowest number first.
type heapOf []int

func (h *heapOf) push(i int) {
	at, _ := slices.BinarySearchFunc(*h, i, func(a, b int) int { return b - a })
	*h = slices.Insert(*h, at, i)
}

func (h *heapOf) pop() int {
	last := len(*h) - 1
	i := (*h)[last]
	*h = (*h)[:last]
	return i
}
