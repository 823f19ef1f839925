package report

import "spvsim/account"

// A term is a word of the page with its meaning.
type term struct{ Name, Meaning string }

// terms are the page's technical terms.
var terms = []term{
	{"wave", "the invocations that execute one instruction together, 32 or 64 of them, each in a lane"},
	{"wave slot", "the place of one resident wave in a SIMD; slot-cycles are wave slots times cycles, and each is charged to one reason"},
	{"own wave cycles", "the slot-cycles in which a slot held a wave: all but the empty ones"},
	{"occupancy", "resident waves, as a share of the wave slots. Possible: as many as registers, LDS, barriers and slots of a compute unit allow. Reached: the mean over the compute units that held a wave, from the first wave of a launch to its last"},
	{"limiter", "the resource of a compute unit in which no further workgroup fits"},
	{"pass", "one use of the LDS's banks by an instruction; an access without conflicts takes the fewest that its lanes need"},
	{"conflict", "a pass that is needed only because lanes access different words of one bank"},
	{"hit", "a line that a level of memory had, or that was on its way to it"},
	{"queue full", "cycles for which requests waited for an entry of a queue of the level, added up over all requests"},
	{"scratch", "device memory for private values of lanes that are not in registers"},
}

// glossary is the terms, then the reasons.
func glossary() []term {
	list := append([]term(nil), terms...)
	for r := range account.NumReasons {
		list = append(list, term{r.String(), r.Meaning()})
	}
	return list
}
