package main

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing/fstest"

	_ "embed"

	"spvsim/config"
	"spvsim/experiments"
)

//go:embed workload.spv
var module []byte

// A behaviour holds the parameters of a workgroup's work, as workload.comp reads them.
type behaviour struct {
	rounds, arithmetic, loads, span, _, stride, stores, atomics, bins, passes, bank, _ uint32 // the fifth is the base of loads, 0
}

// A workloadLaunch is a launch of a workload: its workgroups have the behaviours which[first+each*i].
type workloadLaunch struct{ groups, first, stride int }

// A workload is a job that its seed determines.
type workload struct {
	seed        uint64
	kind        string
	machine     string
	rows        []behaviour
	behaviourOf []uint32
	list        []workloadLaunch
	draw        *rand.Rand

	graphText string // the job file of a graph; empty: text writes it
	sampling  string // keys of the job's sampling

	library    string   // name of a job of the library; empty: a generated one
	parameters []string // of that
	set        []string // fields of the machine
}

// A form generates the launches of a workload.
type form struct {
	name     string
	generate func(w *workload)
}

// forms are the kinds of workload, which seeds select in turn.
var forms = []form{
	{"phases", (*workload).phases},
	{"hot launches", (*workload).hotLaunches},
	{"drift", (*workload).drift},
	{"mixture", (*workload).mixture},
	{"locality", (*workload).locality},
	{"shrinking", (*workload).shrinking},
	{"period", (*workload).period},
	{"contention", (*workload).contention},
	{"skew", (*workload).skew},
	{"late launches", (*workload).lateLaunches},
	{"growing", (*workload).growing},
	{"scattered", (*workload).scattered},
	{"launches of phases", (*workload).launchesOfPhases},
	{"stores", (*workload).storing},
	{"barriers", (*workload).barriers},
	{"graph", (*workload).graph},
}

// words is the size of the buffer that loads read and of the one that stores write.
const words = 1 << 22

// newWorkload draws the workload of a seed.
func newWorkload(seed uint64) *workload {
	w := &workload{seed: seed, machine: "rdna3-780m", draw: rand.New(rand.NewPCG(seed, 27))}
	f := &forms[seed%uint64(len(forms))]
	w.kind = f.name
	f.generate(w)
	return w
}

// intBetween draws a number from low to high, small ones as often as large ones.
func (w *workload) intBetween(low, high int) int {
	x := math.Exp(w.draw.Float64()*math.Log(float64(high+1)/float64(low))) * float64(low)
	return min(int(x), high)
}

// mask draws a mask of low to high bits.
func (w *workload) mask(low, high int) uint32 { return 1<<(low+w.draw.IntN(high-low+1)) - 1 }

// any draws a behaviour of middling size.
func (w *workload) any() behaviour {
	b := behaviour{rounds: uint32(w.intBetween(2, 8)), arithmetic: uint32(w.intBetween(1, 40)), span: words - 1, stride: 1, bank: 1}
	if w.draw.IntN(4) > 0 {
		b.loads = uint32(w.intBetween(1, 3))
	}
	switch w.draw.IntN(5) {
	case 0:
		b.stride, b.span = 0, w.mask(12, 22)
	case 1:
		b.stride = uint32(w.intBetween(1, 8))
	case 2:
		b.span = w.mask(12, 22)
	}
	switch w.draw.IntN(6) {
	case 0:
		b.stores = 1
	case 1:
		b.atomics, b.bins = 1, w.mask(4, 16)
	case 2:
		b.passes, b.bank = uint32(w.intBetween(1, 3)), uint32(w.intBetween(1, 8))
	}
	return b
}

// row adds a behaviour to the table.
func (w *workload) row(b behaviour) uint32 {
	w.rows = append(w.rows, b)
	return uint32(len(w.rows) - 1)
}

// groups draws the number of workgroups of a behaviour for so many thousand wave instructions.
func (w *workload) groups(b *behaviour, thousands int) int {
	each := 40 + b.rounds*(10+2*b.arithmetic+14*b.loads+8*b.stores+14*b.atomics+10*b.passes)
	return max(1000*thousands/int(2*each), 1)
}

// run adds n workgroups that do row.
func (w *workload) run(row uint32, n int) {
	for range n {
		w.behaviourOf = append(w.behaviourOf, row)
	}
}

// launchRest is one launch of all that run added since.
func (w *workload) launchRest(first int) {
	w.list = append(w.list, workloadLaunch{len(w.behaviourOf) - first, first, 1})
}

// size draws the size of the workload in thousands of instructions: a full run takes the host 5 to 20 s.
func (w *workload) size() int { return w.intBetween(16000, 40000) }

func (w *workload) phases() {
	n, size := 2+w.draw.IntN(3), w.size()
	for range n {
		b := w.any()
		w.run(w.row(b), w.groups(&b, size/n))
	}
	w.launchRest(0)
}

// hotLaunches are launches of which a few do something else, with as many instructions or more.
func (w *workload) hotLaunches() {
	plain := w.any()
	hot, size := plain, w.size()
	switch w.draw.IntN(3) {
	case 0:
		hot.stride, hot.span, hot.loads = 0, words-1, max(hot.loads, 1)
	case 1:
		hot.atomics, hot.bins = max(hot.atomics, 1), w.mask(0, 3)
	case 2:
		hot.rounds *= uint32(w.intBetween(2, 8))
	}
	launches, every := w.intBetween(120, 1200), w.intBetween(5, 24)
	groups := w.groups(&plain, size/launches+1)
	rows := []uint32{w.row(plain), w.row(hot)}
	for range launches {
		row := rows[0]
		if w.draw.IntN(every) == 0 {
			row = rows[1]
		}
		w.behaviourOf = append(w.behaviourOf, row)
		w.list = append(w.list, workloadLaunch{groups, len(w.behaviourOf) - 1, 0})
	}
}

// drift is a launch whose workgroups change little by little.
func (w *workload) drift() {
	from, to := w.any(), w.any()
	const steps = 48
	size := w.size()
	at := func(a, b uint32, i int) uint32 {
		return uint32(math.Round(float64(a) + (float64(b)-float64(a))*float64(i)/(steps-1)))
	}
	for i := range steps {
		b := from
		b.rounds, b.arithmetic, b.loads = at(from.rounds, to.rounds, i), at(from.arithmetic, to.arithmetic, i), at(from.loads, to.loads, i)
		w.run(w.row(b), w.groups(&b, size/steps))
	}
	w.launchRest(0)
}

// mixture is a launch of workgroups of several behaviours, drawn one by one.
func (w *workload) mixture() {
	var rows []uint32
	n := 0
	for range 2 + w.draw.IntN(3) {
		b := w.any()
		rows = append(rows, w.row(b))
		n += w.groups(&b, w.size()) / 4
	}
	for range n {
		w.run(rows[w.draw.IntN(len(rows))], 1)
	}
	w.launchRest(0)
}

// locality is a launch of the same instructions all along, whose loads go elsewhere from a point on.
func (w *workload) locality() {
	b := w.any()
	b.loads, b.stride, b.span = max(b.loads, 1), 0, w.mask(10, 14)
	size := w.groups(&b, w.size())
	cut := int(float64(size) * (0.2 + 0.6*w.draw.Float64()))
	w.run(w.row(b), cut)
	b.span = w.mask(19, 22)
	w.run(w.row(b), size-cut)
	w.launchRest(0)
}

func (w *workload) shrinking() { w.sizes(0.05 + 0.1*w.draw.Float64()) }
func (w *workload) growing()   { w.sizes(4 + 8*w.draw.Float64()) }

// sizes are launches whose number of workgroups changes by a constant factor from each to the next.
func (w *workload) sizes(by float64) {
	b := w.any()
	launches := w.intBetween(80, 480)
	n := w.groups(&b, w.size())
	row := w.row(b)
	w.run(row, 1)
	sum := 0.0
	for i := range launches {
		sum += math.Pow(by, float64(i)/float64(launches))
	}
	for i := range launches {
		w.list = append(w.list, workloadLaunch{max(int(float64(n)*math.Pow(by, float64(i)/float64(launches))/sum), 1), 0, 0})
	}
}

// period is a launch in which behaviours alternate.
func (w *workload) period() {
	a, b := w.any(), w.any()
	rows := []uint32{w.row(a), w.row(b)}
	n := (w.groups(&a, w.size()) + w.groups(&b, w.size())) / 2
	long := w.intBetween(16, 2000)
	for i := 0; i < n; i += long {
		w.run(rows[i/long%2], min(long, n-i))
	}
	w.launchRest(0)
}

// contention is a launch of atomics whose words become fewer.
func (w *workload) contention() {
	b := behaviour{rounds: uint32(w.intBetween(1, 4)), arithmetic: uint32(w.intBetween(1, 30)), loads: 1, span: words - 1, stride: 1, atomics: uint32(w.intBetween(1, 2)), bank: 1}
	size := w.groups(&b, w.size()/3)
	for _, bins := range []uint32{w.mask(8, 16), w.mask(4, 16)} {
		b.bins = bins
		w.run(w.row(b), size/2)
	}
	w.launchRest(0)
}

// skew is a launch in which a few workgroups have many times the work.
func (w *workload) skew() {
	b := w.any()
	light := w.row(b)
	n := w.groups(&b, w.size()*2/3)
	b.rounds *= uint32(w.intBetween(4, 12))
	heavy := w.row(b)
	share := 0.01 + 0.09*w.draw.Float64()
	for range n {
		row := light
		if w.draw.Float64() < share {
			row = heavy
		}
		w.run(row, 1)
	}
	w.launchRest(0)
}

// lateLaunches are launches that do something else from a point on.
func (w *workload) lateLaunches() {
	a, b := w.any(), w.any()
	if w.draw.IntN(2) == 0 {
		b = a
		b.stride, b.span, b.loads = 0, words-1, max(b.loads, 1)
	}
	launches := w.intBetween(120, 1200)
	groups := w.groups(&a, w.size()/launches+1)
	cut := launches * (1 + w.draw.IntN(8)) / 10
	w.behaviourOf = []uint32{w.row(a), w.row(b)}
	for i := range launches {
		row := 0
		if i >= cut {
			row = 1
		}
		w.list = append(w.list, workloadLaunch{groups, row, 0})
	}
}

func (w *workload) scattered() {
	b := w.any()
	b.loads, b.stride, b.span = max(b.loads, 1), 0, w.mask(14, 22)
	w.run(w.row(b), w.groups(&b, w.size()))
	w.launchRest(0)
}

// launchesOfPhases are a few large launches, each of the same phases.
func (w *workload) launchesOfPhases() {
	size := w.size()
	n := 2 + w.draw.IntN(2)
	for range n {
		b := w.any()
		w.run(w.row(b), w.groups(&b, size/n/4))
	}
	for range 4 {
		w.launchRest(0)
	}
}

func (w *workload) storing() {
	b := w.any()
	b.stores, b.atomics = uint32(w.intBetween(1, 3)), 0
	w.run(w.row(b), w.groups(&b, w.size()))
	w.launchRest(0)
}

func (w *workload) barriers() {
	b := w.any()
	b.passes, b.bank = uint32(w.intBetween(1, 4)), uint32(w.intBetween(1, 16))
	w.run(w.row(b), w.groups(&b, w.size()/2))
	b.bank = uint32(w.intBetween(1, 16))
	w.run(w.row(b), w.groups(&b, w.size()/2))
	w.launchRest(0)
}

// graph is dispatches of a graph of the library, one after the other; the table has nothing to do with it.
func (w *workload) graph() {
	size := w.size()
	if w.draw.IntN(2) == 0 {
		w.dispatches(size/150, mariani)
		return
	}
	depth := 4 + w.draw.IntN(3)
	edges := 3 << (2 * depth) // that write stores
	w.dispatches(80*size/edges, fmt.Sprintf(koch, depth, edges))
}

// dispatches returns the steps that dispatch the graph of a job.
func (w *workload) dispatches(n int, text string) {
	w.list = []workloadLaunch{{groups: n}}
	w.graphText = fmt.Sprintf("machine: %s\n%sgraph_repeat: %d\n", w.machine, text, n)
}

const (
	mariani = `shader: mariani.spvasm
nodes: [{entry: square}, {entry: fill}, {entry: dots}]
buffers:
  - {set: 0, binding: 0, name: image, data: {zero: 4 * 128 * 128}}
  - {set: 0, binding: 1, name: leaves, data: {zero: 8}}
graph: [{node: square, payloads: [{u32: [0, 0, 128]}]}]
`
	koch = `shader: koch.spvasm
specialization: {depth: %d}
nodes: [{entry: seed}, {entry: split}, {entry: write}]
buffers: [{set: 0, binding: 0, name: vertices, data: {zero: 16 * %d}}]
graph: [{node: seed, count: 1}]
`
)

func (w *workload) job() (*config.Job, error) {
	if w.library != "" {
		return w.libraryJob()
	}
	keys := fmt.Sprintf("sampling: {%s}\n", w.sampling)
	if w.graphText == "" {
		return config.ParseJob(w.files(), "workload.yaml", []byte(w.text()+keys))
	}
	library, _, _, err := experiments.Lookup("koch")
	if err != nil {
		return nil, err
	}
	return config.ParseJob(library, "workload.yaml", []byte(w.graphText+keys))
}

// files returns the files that the job names.
func (w *workload) files() fs.FS {
	rows, _ := binary.Append(nil, binary.LittleEndian, w.rows)
	which, _ := binary.Append(nil, binary.LittleEndian, w.behaviourOf)
	return fstest.MapFS{"workload.spv": {Data: module}, "rows": {Data: rows}, "which": {Data: which}}
}

// text is the job file.
func (w *workload) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `machine: %s
shader: workload.spv
buffers:
  - {set: 0, binding: 0, name: which, data: {file: which}}
  - {set: 0, binding: 1, name: rows, data: {file: rows}}
  - {set: 0, binding: 2, name: words, data: {zero: %d}}
  - {set: 0, binding: 3, name: result, data: {zero: %[2]d}}
  - {set: 0, binding: 4, name: bins, data: {zero: 262144}}
steps:
`, w.machine, 4*words)
	for _, l := range w.list {
		fmt.Fprintf(&b, "  - {name: work, dispatch: [%d], push_constants: [{u32: %d}, {u32: %d}]}\n", l.groups, l.first, l.stride)
	}
	return b.String()
}
