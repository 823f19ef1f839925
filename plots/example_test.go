package plots_test

import (
	"fmt"
	"strings"

	"spvsim/plots"
)

func ExampleBuild() {
	rows, _ := plots.ReadCSV("rows.csv", strings.NewReader(`scheduler,work,cycles
multipass,1,800
hardware,1,200
multipass,64,1200
hardware,64,1500
`))
	figure, _ := plots.Read("figure.yaml", []byte(`
kind: line
x: {column: work, label: Work per payload, scale: log2}
y: {column: cycles, label: Speed-up over multipass}
series: {column: scheduler, hide: [multipass]}
relative_to: {scheduler: multipass}
`))
	chart, err := plots.Build(figure, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range chart.Panels[0].Series {
		for _, p := range s.Points {
			fmt.Printf("%s: %g times as fast at %g\n", s.Name, p.Y, p.X)
		}
	}
	svg, err := chart.Draw("svg", "column")
	fmt.Println(strings.Contains(string(svg), "Work per payload"), err)
	// Output:
	// hardware: 4 times as fast at 1
	// hardware: 0.8 times as fast at 64
	// true <nil>
}

func ExampleRead() {
	_, err := plots.Read("figure.yaml", []byte("kind: line\nx: work\ny: {column: cycles, scale: log}\n"))
	fmt.Println(err)
	// Output: plots: figure.yaml:3: y.scale: found "log": want one of linear, log2, log10, category (nearest: log2)
}
