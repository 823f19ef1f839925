package energy

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"spvsim/account"
	"spvsim/internal/suite"
)

var update = flag.Bool("update", false, "write testdata/written.txt")

// names are the keys of energies: levels, links and kinds of queues.
var names = struct{ levels, links, queues []string }{
	[]string{"vector_l1", "scalar_l1", "shader_array", "l2", "memory_side", "memory"}, []string{"unit", "engine", "chip", ""},
	[]string{"hardware", "firmware", "persistent", "multipass", "lists"},
}

// The energies of random counts under random tables are recorded part by part: TestEveryEventHasItsEnergy checks the
// part of each count.
func TestWrittenEnergies(t *testing.T) {
	suite.Lines(t, "written.txt", *update, 120, func(i int) string {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		var table Table
		var plant Plant
		var c account.Counts
		suite.Fill(r, reflect.ValueOf(&table).Elem(), 100)
		suite.Fill(r, reflect.ValueOf(&plant).Elem(), 16)
		suite.Fill(r, reflect.ValueOf(&c).Elem(), 1000)
		table.Voltage = VoltageCurve{} // lists of random lengths are no curve
		table.Scale, table.Supply, table.Memory.ActivateBytes = 1+r.Float64(), 0.5+r.Float64()/2, 1+r.Float64()
		plant.ClockMHz, plant.Queue = 1000, one(r, names.queues)
		for _, l := range []*string{&table.VectorL1.Link, &table.ScalarL1.Link, &table.Array.Link, &table.L2.Link, &table.MemorySide.Link, &table.Memory.Link} {
			*l = one(r, names.links)
		}
		for k := range c.Memory {
			c.Memory[k].Name = one(r, names.levels)
		}
		e := New(&table, plant).Compute(&c)
		out := ""
		for p, joules := range e.Joules {
			out += fmt.Sprintf("%s %.9g, ", Part(p), joules)
		}
		return fmt.Sprintf("%shalf %.9g, constant %.9g", out, e.Half, e.Constant()+e.Joules[Supply])
	})
}

func one(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }
