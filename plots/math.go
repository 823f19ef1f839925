package plots

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"spvsim/internal/spec"
)

// Between two dollar signs a text of a figure's file is math in the manner of TeX: names of signs after a backslash, and ^ and _ before
// one character or braces. A dollar sign without a second one, or after a backslash, is itself.

// signs maps the names of mathematical signs to characters of the figure's font.
var signs = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ",
	"lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ",
	"psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
	"Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡",
	"pm": "±", "times": "×", "cdot": "·", "div": "÷", "infty": "∞", "sum": "∑", "prod": "∏", "partial": "∂", "int": "∫", "sqrt": "√",
	"to": "→", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "uparrow": "↑", "downarrow": "↓", "cap": "∩", "neg": "¬",
	"ldots": "…", "dots": "…", "ell": "ℓ", "circ": "°", "prime": "′", "log": "log", "ln": "ln", "max": "max", "min": "min", "exp": "exp",
}

// relations keep the space after their name.
var relations = map[string]bool{"≤": true, "≥": true, "≠": true, "≈": true, "≡": true, "±": true, "×": true, "·": true, "÷": true, "→": true, "←": true, "↔": true, "∩": true}

// mathText replaces the math of a text.
func mathText(s string) (string, error) {
	var out strings.Builder
	for {
		from := dollar(s, 0)
		to := -1
		if from >= 0 {
			to = dollar(s, from+1)
		}
		if to < 0 {
			out.WriteString(strings.ReplaceAll(s, `\$`, "$"))
			return out.String(), nil
		}
		inside, err := mathSigns(s[from+1 : to])
		if err != nil {
			return "", err
		}
		out.WriteString(strings.ReplaceAll(s[:from], `\$`, "$") + inside)
		s = s[to+1:]
	}
}

// dollar is the place of the next dollar sign that has no backslash before it, or -1.
func dollar(s string, from int) int {
	for i := from; i < len(s); i++ {
		if s[i] == '$' && (i == 0 || s[i-1] != '\\') {
			return i
		}
	}
	return -1
}

// mathSigns typesets the text between dollar signs. Spaces are kept, a hyphen becomes a minus.
func mathSigns(s string) (string, error) {
	var out strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		rest := s[size:]
		switch {
		case r == '\\':
			n := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
			if n < 0 {
				n = len(rest)
			}
			sign, ok := signs[rest[:n]]
			if !ok {
				return "", fmt.Errorf(`math has no \%s%s`, rest[:n], spec.Hint(rest[:n], signNames()))
			}
			out.WriteString(sign)
			if rest = rest[n:]; !relations[sign] {
				rest = strings.TrimPrefix(rest, " ") // it ends the name
			}
		case (r == '^' || r == '_') && rest != "" && rest[0] != '{':
			script, after := script(rest)
			inside, err := mathSigns(script)
			if err != nil {
				return "", err
			}
			out.WriteString(string(r) + "{" + inside + "}")
			rest = after
		case (r == '^' || r == '_') && rest == "":
			return "", errors.New("math ends after " + string(r) + ": want a character or braces")
		case r == '-':
			out.WriteString("−")
		default:
			out.WriteRune(r)
		}
		s = rest
	}
	return out.String(), nil
}

// script splits off the text that ^ or _ raises or lowers without braces: a character, or a sign by its name.
func script(s string) (text, after string) {
	_, n := utf8.DecodeRuneInString(s)
	if s[0] == '\\' {
		for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
			n++
		}
	}
	return s[:n], s[n:]
}

func signNames() (names []string) {
	return slices.Sorted(maps.Keys(signs))
}

// typeset replaces the math in all texts of the figure's file.
func (f *Figure) typeset() error {
	var errs []error
	set := func(path string, s *string) {
		text, err := mathText(*s)
		if err != nil {
			errs = append(errs, f.fail(path, ErrText, fmt.Sprintf("%q: %v", *s, err)))
			return
		}
		*s = text
	}
	names := func(path string, p Pairs) {
		for i := range p {
			for k := range p[i].Values {
				set(joinPath(path, p[i].Key), &p[i].Values[k])
			}
		}
	}
	set("title", &f.Title)
	set("legend.title", &f.Legend.Title)
	set("facets.label", &f.Facets.Label)
	set("value.label", &f.Value.Label)
	set("value.unit", &f.Value.Unit)
	for _, a := range []struct {
		path string
		axis *Axis
	}{{"x", &f.X}, {"y", &f.Y}} {
		set(a.path+".label", &a.axis.Label)
		set(a.path+".unit", &a.axis.Unit)
		names(a.path+".names", a.axis.Names)
	}
	names("series.names", f.Series.Names)
	names("facets.names", f.Facets.Names)
	for i := range f.Annotations {
		set(fmt.Sprintf("annotations[%d].text", i), &f.Annotations[i].Text)
		set(fmt.Sprintf("annotations[%d].source", i), &f.Annotations[i].Source)
	}
	for i := range f.Roofs {
		set(fmt.Sprintf("roofs[%d].name", i), &f.Roofs[i].Name)
	}
	return errors.Join(errs...)
}
