package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Counterfactual is a machine without a limit, or with the user's own settings: the name, and settings (path=value) on
// top of the command's.
type Counterfactual struct {
	Name     string
	Meaning  string // of the limits that it is without, or "your settings"
	Settings []string
	// Chosen: the user named it, rather than all.
	Chosen bool
}

// ownMeaning describes counterfactuals of the user.
const ownMeaning = "your settings"

// AllLimits represents each limit by itself.
const AllLimits = "all"

// ParseWhatIf reads counterfactuals: names of limits with commas between (several limits at once as a+b), all, or the
// user's own as a mapping, {name: {path: value}}. Later texts may combine the names of earlier mappings.
func ParseWhatIf(texts []string) (list []Counterfactual, err error) {
	own := map[string][]string{}
	for _, text := range texts {
		var some []Counterfactual
		if strings.Contains(text, ":") {
			some, err = ownCounterfactuals(text, own)
		} else {
			some, err = namedCounterfactuals(text, own)
		}
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			if !slices.ContainsFunc(list, func(o Counterfactual) bool { return o.Name == c.Name }) {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

func namedCounterfactuals(text string, own map[string][]string) (list []Counterfactual, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == AllLimits {
			for _, l := range MachineLimits() {
				list = append(list, Counterfactual{Name: l.Name, Meaning: l.Meaning, Settings: l.settings})
			}
			continue
		}
		c := Counterfactual{Name: name, Chosen: true}
		for part := range strings.SplitSeq(name, "+") {
			settings, known := own[part]
			meaning := ownMeaning
			if !known {
				l, err := findLimit(part)
				if err != nil {
					return nil, fmt.Errorf("%w, %s, or your own as {name: {path: value}}", err, AllLimits)
				}
				settings, meaning = l.settings, l.Meaning
			}
			c.Settings = append(c.Settings, settings...)
			c.Meaning = strings.TrimPrefix(c.Meaning+"; "+meaning, "; ")
		}
		list = append(list, c)
	}
	return list, nil
}

// ownCounterfactuals reads a mapping of names to settings, and adds it to own.
func ownCounterfactuals(text string, own map[string][]string) (list []Counterfactual, err error) {
	n, err := parseYAML("", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("found %q: want a mapping as YAML writes it, such as {narrow: {lds.banks: 16}}", text)
	}
	var byName map[string]map[string]any
	if n.Decode(&byName) != nil || len(byName) == 0 {
		return nil, fmt.Errorf("found %q: want names with settings, such as {narrow: {lds.banks: 16}}", text)
	}
	for i := 0; i < len(n.Content); i += 2 {
		name, fields := n.Content[i].Value, n.Content[i+1]
		switch {
		case name == AllLimits || slices.ContainsFunc(limits, func(l MachineLimit) bool { return l.Name == name }):
			return nil, fmt.Errorf("found your own %q: want another name than those that spvsim has", name)
		case name == "" || strings.ContainsAny(name, "+,"):
			return nil, fmt.Errorf("found the name %q: want one without + and commas", name)
		case len(fields.Content) == 0:
			return nil, fmt.Errorf("found %s without settings: want {%s: {path: value}}", name, name)
		}
		c := Counterfactual{Name: name, Meaning: ownMeaning, Chosen: true}
		for k := 0; k < len(fields.Content); k += 2 {
			clearLines(fields.Content[k+1], 0)
			c.Settings = append(c.Settings, fields.Content[k].Value+"="+Value{fields.Content[k+1]}.String())
		}
		own[name] = c.Settings
		list = append(list, c)
	}
	return list, nil
}

// Names of the axis and the columns that counterfactuals add to an experiment, and of the machine as it is.
const (
	whatIfAxis = "what_if"
	whatIfNone = "none"
	whatIfBase = "base_cycles"
	whatIfGain = "gain"
)

// AddWhatIf varies the machines of an experiment's points: as they are, and each counterfactual. Experiments that keep
// the cycles get a column with the gain, the share of the cycles that the counterfactual saves. The experiment's figures go:
// they would have several rows at a point.
func (e *Experiment) AddWhatIf(list []Counterfactual) error {
	e.flagPlace("--what-if", "", joinPath("axes", whatIfAxis))
	a := Axis{Name: whatIfAxis, Variants: []Variant{{Name: whatIfNone}}}
	for _, c := range list {
		v := Variant{Name: c.Name}
		for _, text := range c.Settings {
			path, value, err := parseSetting(text)
			if err != nil {
				return err
			}
			v.Settings = append(v.Settings, Setting{Path: fieldPath(path), Value: Value{value}, keyPath: joinPath("axes", whatIfAxis)})
		}
		a.Variants = append(a.Variants, v)
	}
	e.Axes = append(e.Axes, a)
	e.Figures = nil
	if e.keepsCycles() {
		none := Value{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: whatIfNone}}
		e.Derived = append(e.Derived, Derived{Name: whatIfBase, Column: defaultFigure, Matches: []Match{{Column: whatIfAxis, Values: []Value{none}}}},
			Derived{Name: whatIfGain, Expr: "1 - " + defaultFigure + " / " + whatIfBase})
	}
	return withPositions(e.problems(), e.positions)
}

// A Change is a field of a machine that differs from that of another machine.
type Change struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Was   string `json:"was"`
}

// Changes lists the fields in which a machine differs from another.
func (m *Machine) Changes(from *Machine) (list []Change) {
	was := map[string]string{}
	for _, leaf := range from.AllLeaves() {
		was[leaf.Path] = leaf.Value
	}
	for _, leaf := range m.AllLeaves() {
		if leaf.Value != was[leaf.Path] {
			list = append(list, Change{leaf.Path, leaf.Value, was[leaf.Path]})
		}
	}
	return list
}
