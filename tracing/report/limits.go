package report

import (
	"fmt"
	"html/template"
	"strings"

	"spvsim/tracing"
	"spvsim/tracing/profile"
)

// A partRow is a part of the machine with the share of its peak that a run reached.
type partRow struct {
	Name, Active, Share, Peak string
	Width                     template.CSS // of the bar that shows Active
}

// leastShare is the share from which a part has a row.
const leastShare = 0.001

func partRows(p *profile.Profile) (list []partRow) {
	for _, u := range tracing.ByShare(p.Utilization) {
		if u.Active >= leastShare {
			list = append(list, partRow{u.Part, percent(u.Active, 1), percent(u.Share, 1), u.Peak, barWidth(u.Active)})
		}
	}
	return list
}

// A whatIfRow is a result on a counterfactual machine.
type whatIfRow struct {
	Name, Cycles, Gain, Meaning, Settings, Advice string
	Width                                         template.CSS // of the bar that shows the gain
}

// A whatIfTable is what counterfactual machines save.
type whatIfTable struct {
	Name string // of a program's dispatch, with its cycles; empty: the page's run
	Rows []whatIfRow
	Note string // on gains
}

// newWhatIfTable returns the table of results; nil if there are none.
func newWhatIfTable(name string, results []tracing.Counterfactual) *whatIfTable {
	if len(results) == 0 {
		return nil
	}
	return &whatIfTable{name, whatIfRows(results), tracing.WhatIfNote}
}

func whatIfRows(results []tracing.Counterfactual) (list []whatIfRow) {
	for _, c := range tracing.ByGain(results) {
		list = append(list, whatIfRow{Name: c.Name, Cycles: c.CyclesText(), Gain: percent(c.Gain(), 1), Meaning: c.MeaningText(),
			Settings: strings.Join(c.SettingTexts(), ", "), Advice: c.Advice, Width: barWidth(c.Gain())})
	}
	return list
}

// barWidth is the style of a bar for a share of the whole width.
func barWidth(share float64) template.CSS {
	return template.CSS(fmt.Sprintf("width:%.1f%%", 100*max(0, min(share, 1))))
}
