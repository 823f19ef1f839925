package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setParameters overrides a job's parameters with name=value of a command line. A parameter that the job lacks would
// change nothing, so it is refused.
func setParameters(job *yaml.Node, file string, list []string) error {
	var errs []error
	for _, text := range list {
		where := "--param " + text
		name, value, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.TrimSpace(value) == "" {
			errs = append(errs, &Error{File: where, Msg: "want name=value", Kind: ErrSyntax})
			continue
		}
		v, err := parseYAML(where, []byte(value))
		if err == nil && v.Kind != yaml.ScalarNode {
			err = &Error{File: where, Msg: fmt.Sprintf("found %s: want a number or an expression", found(v)), Kind: ErrType}
		}
		if err == nil {
			err = setParameter(job, file, where, name, v)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func setParameter(job *yaml.Node, file, where, name string, value *yaml.Node) error {
	var known []string
	if all := valueOf(job, "parameters"); all != nil && all.Kind == yaml.MappingNode {
		if at := valueOf(all, name); at != nil {
			value.Line = at.Line
			*at = *value
			return nil
		}
		for i := 0; i < len(all.Content); i += 2 {
			known = append(known, all.Content[i].Value)
		}
	}
	return &Error{File: where, Msg: fmt.Sprintf("found %s: want a parameter of %s%s", name, file, knownNames(name, known)), Kind: ErrReference}
}

// valueOf returns the value of a mapping's key, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	n = deref(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return deref(n.Content[i+1])
		}
	}
	return nil
}

// knownNames names the nearest of the known names, or all of them.
func knownNames(name string, known []string) string {
	if hint := Hint(name, known); hint != "" {
		return hint
	}
	if len(known) == 0 {
		return ": it has none"
	}
	return ": it has " + strings.Join(known, ", ")
}
