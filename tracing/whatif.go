package tracing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"spvsim/config"
	"spvsim/internal/lists"
)

// A Counterfactual is the result of the same job on another machine: one without a limit, or with the user's settings.
type Counterfactual struct {
	Name     string          `json:"name"`
	Meaning  string          `json:"meaning"`  // of the limit that the machine is without
	Settings []string        `json:"settings"` // path=value, as given
	Changes  []config.Change `json:"changes"`  // fields of the machine that differ
	Base     uint64          `json:"base"`     // cycles of the run on the machine as it is
	Cycles   uint64          `json:"cycles"`
	Low      float64         `json:"low,omitempty"` // interval of estimated cycles; 0: they are not estimated
	High     float64         `json:"high,omitempty"`
	Unmet    int             `json:"unmet,omitempty"`  // expectations of the job
	Advice   string          `json:"advice,omitempty"` // what to do about the limit, with the number behind it; empty: nothing
}

// Gain is the share of the run's cycles that the other machine saves; below 0, it takes longer.
func (c *Counterfactual) Gain() float64 {
	if c.Base == 0 {
		return 0
	}
	return 1 - float64(c.Cycles)/float64(c.Base)
}

// DispatchesFormat is the version of the JSON of dispatches. It changes when a member changes its meaning or goes.
const DispatchesFormat = 1

// A ComparedDispatch is a dispatch of a program that also ran on counterfactual machines.
type ComparedDispatch struct {
	Name       string   `json:"name" doc:"the dispatch: its number among those chosen, and its pipeline"`
	Statistics *Stats   `json:"statistics"`       // of its run from cold caches, with the counterfactuals
	Absent     []string `json:"absent,omitempty"` // limits that the machine and the dispatch do not have
}

// WriteDispatches writes dispatches with their counterfactuals as JSON.
func WriteDispatches(w io.Writer, list []ComparedDispatch) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(object{{"format", DispatchesFormat}, {"dispatches", list}})
}

// counterfactualMembers are the results as a JSON object, by name.
func counterfactualMembers(list []Counterfactual) (o object) {
	for i := range list {
		c := &list[i]
		member := object{{"cycles", c.Cycles}, {"gain", c.Gain()}}
		if c.High > 0 {
			member = append(member, named{"low", c.Low}, named{"high", c.High})
		}
		if c.Advice != "" {
			member = append(member, named{"advice", c.Advice})
		}
		o = append(o, named{c.Name, append(member, named{"settings", strings.Join(c.Settings, " ")})})
	}
	return o
}

// WriteCounterfactuals writes the results as a table, the largest gain first, then the fields that differ. Absent are the
// limits that the machine or the job does not have.
func WriteCounterfactuals(w io.Writer, s *Stats, absent []string) error {
	order := ByGain(s.WhatIf)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nwhat if\tcycles\tgain\twithout\n")
	fmt.Fprintf(t, "(as it is)\t%s\t\t\n", s.CyclesText())
	for _, c := range order {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, c.CyclesText(), percent(c.Gain()), c.MeaningText())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(absent) > 0 {
		fmt.Fprintf(w, "not limits of this machine and job: %s\n", strings.Join(absent, ", "))
	}
	fmt.Fprintln(w, WhatIfNote)
	writeAdvice(w, order)
	fmt.Fprint(w, "\nset by each, with the machine's own value:\n")
	for _, c := range order {
		fmt.Fprintf(w, "  %s:%s\n", c.Name, wrapped(c.SettingTexts(), len(c.Name)+3))
	}
	_, err := fmt.Fprintln(w)
	return err
}

// CyclesText formats the run's cycles, with their interval if they are estimated.
func (s *Stats) CyclesText() string {
	if s.Estimate == nil {
		return fmt.Sprint(s.Cycles)
	}
	low, high := s.Interval()
	return fmt.Sprintf("%d (%.0f to %.0f)", s.Cycles, low, high)
}

func writeAdvice(w io.Writer, list []Counterfactual) {
	begun := false
	for i := range list {
		if list[i].Advice == "" {
			continue
		}
		if !begun {
			fmt.Fprint(w, "\nadvice:\n")
			begun = true
		}
		fmt.Fprintf(w, "  %s:%s\n", list[i].Name, wrapped(strings.Fields(list[i].Advice), len(list[i].Name)+3))
	}
}

// WhatIfNote says how to read gains.
const WhatIfNote = "The gain is the share of the cycles that the machine without the limit saves. Gains do not add up: behind one limit is the next (a+b removes two at once)."

// ByGain returns the results with the largest gain first.
func ByGain(list []Counterfactual) []Counterfactual {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Counterfactual) int { return cmp.Compare(a.Cycles, b.Cycles) })
	return sorted
}

// CyclesText formats the cycles, with their interval if they are estimated.
func (c *Counterfactual) CyclesText() string {
	if c.High > 0 {
		return fmt.Sprintf("%d (%.0f to %.0f)", c.Cycles, c.Low, c.High)
	}
	return fmt.Sprint(c.Cycles)
}

// MeaningText says what the machine is without, and what the job's expectations say of its run.
func (c *Counterfactual) MeaningText() string {
	text := c.Meaning
	if c.Unmet > 0 {
		text += "; " + Plural(uint64(c.Unmet), "expectation", "expectations") + " not met"
	}
	return text
}

// SettingTexts lists the fields that differ. Settings that change nothing in the machine, or fields of the job, are listed
// as given.
func (c *Counterfactual) SettingTexts() (list []string) {
	list = lists.Map(c.Changes, func(f config.Change) string { return fmt.Sprintf("%s=%s (%s)", f.Path, f.Value, f.Was) })
	if list == nil {
		list = append(slices.Clone(c.Settings), "(nothing of the machine differs)")
	}
	return list
}

// lineWidth is the width of wrapped lines, in characters.
const lineWidth = 100

// wrapped joins words into lines. The first continues a line with so many characters; the others are indented by 4.
func wrapped(words []string, column int) string {
	var b strings.Builder
	for _, word := range words {
		if column+1+len(word) > lineWidth {
			b.WriteString("\n   ")
			column = 3
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	return b.String()
}
