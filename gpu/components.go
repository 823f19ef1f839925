package gpu

import (
	"github.com/sarchlab/akita/v3/sim"
)

// components are the parts of the machine, the front of it first.
func (r *runner) components() []sim.Component {
	g := r.machine
	list := []sim.Component{g.dispatcher}
	if r.graph != nil {
		list = append(list, r.graph.run.Components()...)
	}
	for i, u := range g.array.Units {
		list = append(list, u)
		for _, s := range u.SIMDs {
			list = append(list, s)
		}
		list = append(list, g.lds[i])
	}
	return list
}
