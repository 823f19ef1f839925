package plots

import (
	"errors"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

func TestMath(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                    "plain",
		`$\alpha_i \le 10^{-2}$ s`: "α_{i} ≤ 10^{−2} s",
		`a $x^2$ b $y_\mu$ c`:      "a x^{2} b y_{µ} c",
		"5 $ a piece":              "5 $ a piece",
		`\$5 and \$6`:              "$5 and $6",
		`$\Delta t$`:               "Δt",
		`$\sum x$, 2 $\times$ 3`:   "∑x, 2 × 3",
		"$a - b$":                  "a − b",
	} {
		got, err := mathText(text)
		if err != nil || strings.ReplaceAll(got, "μ", "µ") != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{`$\alhpa$`: `no \alhpa`, "$x^$": "math ends after ^"} {
		if _, err := mathText(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err := Read("f.yaml", []byte("kind: line\nx: a\ny: {column: b, label: '$\\alhpa$'}\n"))
	if !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "f.yaml:3") || !strings.Contains(err.Error(), "alpha") {
		t.Errorf("%v: want the line and the nearest sign", err)
	}
}

// Every sign of math is in the font, in all formats.
func TestSignsAreInTheFont(t *testing.T) {
	for name, sign := range signs {
		if r := unknown(sign); r != 0 {
			t.Errorf(`\%s: %q is not in the font`, name, r)
		}
	}
}

func TestScripts(t *testing.T) {
	for text, want := range map[string]string{
		"mm²": "mm²", "10⁻²": "10^{–2}", "x₁₂ + y": "x_{12} + y", "2⁸ₙ": "2^{8}_{n}", "aⁿ": "a^{n}",
	} {
		if got := raiseScripts(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Without braces, ^ and _ apply to one character, of however many bytes, or to a sign by its name, which consists of
// letters.
func TestWhatIsRaisedWithoutBraces(t *testing.T) {
	for text, want := range map[string][2]string{
		"2b": {"2", "b"}, "x": {"x", ""}, "αb": {"α", "b"}, `\alpha`: {`\alpha`, ""}, `\alpha2`: {`\alpha`, "2"}, `\Azaz b`: {`\Azaz`, " b"},
		`\a{`: {`\a`, "{"}, `\a[`: {`\a`, "["}, `\Z@`: {`\Z`, "@"}, "\\z`": {`\z`, "`"}, `\1`: {`\`, "1"}, "ab": {"a", "b"},
	} {
		if got, after := script(text); got != want[0] || after != want[1] {
			t.Errorf("%s: %q and %q, want %q", text, got, after, want)
		}
	}
}

// A figure in Greek is drawn in each format: with a second font in SVG, as outlines in PDF and EPS, and one without is as before.
func TestGreekFigure(t *testing.T) {
	const plain, greek = "kind: line\ntitle: T\nx: a\ny: b", "kind: line\ntitle: 'T ≤ λ₁'\nx: a\ny: b"
	draw := func(figure, format string) string {
		c := suite.Must(chartOf(t, "a,b\n1,2\n2,3\n", figure))(t)
		data := suite.Must(c.Draw(format, "column"))(t)
		return string(data)
	}
	svg := draw(greek, "svg")
	if !strings.Contains(svg, `"Liberation Sans Greek"`) || !strings.Contains(svg, "≤ λ") || strings.Contains(draw(plain, "svg"), "Greek") {
		t.Error("the SVG of a Greek title lacks its font, or one without has it")
	}
	if a, b := draw(plain, "pdf"), draw(greek, "pdf"); len(b) <= len(a) || strings.Count(a, "/FontFile2") != strings.Count(b, "/FontFile2") {
		t.Error("the PDF of a Greek title has no outlines, or a font more")
	}
	eps := draw(greek, "eps")
	if !strings.HasPrefix(eps, "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 240 ") || strings.Contains(eps, "findfont") || strings.Contains(eps, "CreationDate") || eps != draw(greek, "eps") {
		t.Errorf("EPS: %.200s", eps)
	}
	depth := 0
	for line := range strings.Lines(eps) {
		switch strings.TrimSpace(line) {
		case "gsave":
			depth++
		case "grestore":
			depth--
		}
		if depth < 0 {
			t.Fatal("EPS restores what it has not saved")
		}
	}
}
