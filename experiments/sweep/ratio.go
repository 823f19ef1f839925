package sweep

import (
	"encoding/json"

	"spvsim/account"
	"spvsim/config"
	"spvsim/internal/lists"
)

// timeOf returns the cycles of a point with what they were estimated from; nil: it has none.
func timeOf(r *Record) *account.Counts {
	var stats struct {
		Mode     string
		Cycles   uint64
		Estimate *struct {
			High       float64
			CommonHalf float64 `json:"common_half"`
			Degrees    float64
			Units      []account.SampledUnit
		}
	}
	if r.Status != Done || json.Unmarshal(r.Stats, &stats) != nil || stats.Mode == config.ModeFunctional || stats.Cycles == 0 {
		return nil
	}
	c := &account.Counts{Cycles: stats.Cycles}
	if e := stats.Estimate; e != nil {
		c.Estimate = &account.Estimate{Half: e.High - float64(stats.Cycles), Common: e.CommonHalf, Degrees: e.Degrees, Units: e.Units}
	}
	return c
}

// ratios adds, for each axis of the machine, by how much each point takes longer than the one with the axis' first value and the same other parameters,
// with the interval of that: docs/model/sampling.md has the formula.
func (b *rowsBuilder) ratios() {
	times := lists.Map(b.records, timeOf)
	for _, name := range b.parameterNames() {
		if !config.OfMachine(b.plan.Experiment.ColumnPath(b.plan.Small, name)) {
			continue
		}
		first := b.firstOf(name)
		var values [3][]any
		for row, base := range first {
			r := [3]any{}
			if x, of := times[row], times[base]; x != nil && of != nil {
				r = [3]any{1.0, 1.0, 1.0}
				if row != base {
					ratio, low, high := x.Ratio(of)
					r = [3]any{ratio, low, high}
				}
			}
			for i := range values {
				values[i] = append(values[i], r[i])
			}
		}
		for i, suffix := range ratioColumns {
			b.table.Add(name+suffix, values[i])
		}
	}
}

var ratioColumns = []string{"_ratio", "_ratio_low", "_ratio_high"}

// firstOf returns for each row the first one with the same parameters but for one of them.
func (b *rowsBuilder) firstOf(name string) (first []int) {
	same := b.otherParameters(name)
	rows := map[string]int{}
	for row := range b.table.Rows {
		key := rowKey(same, row)
		if _, have := rows[key]; !have {
			rows[key] = row
		}
		first = append(first, rows[key])
	}
	return first
}
