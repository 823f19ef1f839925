package systemtest

// shrink leaves out statements, or puts their bodies in their places, as long as
// what is left still fails.
func shrink(p *program, fails func(*program) bool) *program {
	for shrinkOnce(p, fails) {
	}
	return p
}

func shrinkOnce(p *program, fails func(*program) bool) bool {
	for _, list := range lists(p) {
		whole := *list
		for i := range whole {
			for _, inner := range [][]stmt{nil, whole[i].body, whole[i].other} {
				less := append(append(append([]stmt{}, whole[:i]...), inner...), whole[i+1:]...)
				if *list = less; valid(p) && fails(p) {
					return true
				}
				*list = whole
			}
		}
	}
	return false
}

// lists are all lists of statements, outer ones first.
func lists(p *program) (all []*[]stmt) {
	var add func(list *[]stmt)
	add = func(list *[]stmt) {
		all = append(all, list)
		for i := range *list {
			s := &(*list)[i]
			add(&s.body)
			add(&s.other)
			for k := range s.cases {
				add(&s.cases[k].body)
			}
		}
	}
	for k := range p.funcs {
		add(&p.funcs[k].body)
	}
	return all
}

// valid reports that jumps have something to leave, loops end and functions
// return.
func valid(p *program) bool {
	for k, f := range p.funcs {
		if n := len(f.body); k > 0 && (n == 0 || f.body[n-1].kind != giveBack) || !validList(f.body, false, false) {
			return false
		}
	}
	return true
}

func validList(list []stmt, breaks, continues bool) bool {
	for i := range list {
		s := &list[i]
		ok := true
		switch s.kind {
		case leave:
			ok = breaks
		case goOn:
			ok = continues
		case branch:
			ok = validList(s.body, breaks, continues) && validList(s.other, breaks, continues) && (!s.bare || len(s.body) == 1)
		case while, doWhile:
			ok = validList(s.body, true, true)
		case forever, turns, waterfall, election:
			ok = validList(s.body, true, false) && validList(s.other, true, true)
		}
		for k := range s.cases {
			ok = ok && validList(s.cases[k].body, true, continues)
		}
		if !ok {
			return false
		}
	}
	return true
}
