package program

import (
	"fmt"
	"slices"
)

// The statements of this file have blocks inside.

// inside draws statements of a block, of which one value of a type comes out.
func (w *shaderWriter) inside(label string, statements int, t string) (value, end string) {
	outer := w.known()
	w.depth++
	w.place(label)
	if of, count := w.counter[0], w.counter[1]; of != "" {
		op := map[string][]string{"%int": {"OpSDiv", "OpSRem", "OpIMul"}, "%uint": {"OpUDiv", "OpUMod", "OpIMul"}}[of]
		w.value(of, fmt.Sprintf("%s %s %s %s", w.one(op...), of, count, w.named(of, w.one("3", "4", "7"))))
		w.counter = [2]string{}
	}
	for range statements {
		w.statement()
	}
	value, end = w.of(t), w.block
	w.depth--
	w.values = outer
	return value, end
}

// known are the values that there are now.
func (w *shaderWriter) known() map[string][]string {
	list := map[string][]string{}
	for t, values := range w.values {
		list[t] = slices.Clone(values)
	}
	return list
}

func (w *shaderWriter) place(label string) {
	w.line("%s = OpLabel", label)
	w.block = label
}

// branch is one with two sides or one, whose values meet.
func (w *shaderWriter) branch() {
	t, yes, no, merge := w.scalar(), w.id(), w.id(), w.id()
	cond, before, from := w.of("%bool"), w.of(t), w.block
	w.line("OpSelectionMerge %s %s", merge, w.one("None", "None", "Flatten", "DontFlatten"))
	two := w.r.IntN(2) == 0
	if two {
		w.line("OpBranchConditional %s %s %s", cond, yes, no)
	} else {
		w.line("OpBranchConditional %s %s %s", cond, yes, merge)
	}
	v, end := w.inside(yes, 1+w.r.IntN(3), t)
	w.line("OpBranch %s", merge)
	if two {
		before, from = w.inside(no, 1+w.r.IntN(3), t)
		w.line("OpBranch %s", merge)
	}
	w.place(merge)
	w.value(t, fmt.Sprintf("OpPhi %s %s %s %s %s", t, v, end, before, from))
}

// loop counts to a constant, mostly, and carries a value from trip to trip; some end early.
func (w *shaderWriter) loop() {
	t, header, body, cont, merge := w.scalar(), w.id(), w.id(), w.id(), w.id()
	count, next, carried, cond := w.id(), w.id(), w.id(), w.id()
	of, less := "%uint", "OpULessThan"
	if w.r.IntN(2) == 0 {
		of, less = "%int", "OpSLessThan"
	}
	first, limit := w.named(of, fmt.Sprint(w.r.IntN(3))), w.named(of, fmt.Sprint(1+w.r.IntN(1<<(1+w.r.IntN(6)))))
	if w.r.IntN(4) == 0 {
		limit = w.value(of, fmt.Sprintf("OpBitwiseAnd %s %s %s", of, w.of(of), w.named(of, "7")))
	}
	step := w.named(of, w.one("1", "1", "1", "2", "3"))
	start, from := w.of(t), w.block
	w.line("OpBranch %s", header)
	w.place(header)
	at := len(w.lines)
	outer := w.known()
	w.values[of] = append(w.values[of], count)
	w.values[t] = append(w.values[t], carried)
	for range w.r.IntN(4) {
		[]func(){w.binary, w.shift, w.convert, w.vector}[w.r.IntN(4)]()
	}
	w.line("%s = %s %%bool %s %s", cond, less, count, limit)
	w.line("OpLoopMerge %s %s %s", merge, cont, w.one("None", "None", "None", "Unroll", "DontUnroll"))
	w.line("OpBranchConditional %s %s %s", cond, body, merge)
	w.counter = [2]string{of, count}
	v, _ := w.inside(body, 1+w.r.IntN(3), t)
	if w.r.IntN(5) == 0 {
		early := w.of("%bool")
		w.line("OpBranchConditional %s %s %s", early, merge, cont)
	} else {
		w.line("OpBranch %s", cont)
	}
	w.place(cont)
	w.line("%s = OpIAdd %s %s %s", next, of, count, step)
	w.line("OpBranch %s", header)
	w.lines = slices.Insert(w.lines, at, fmt.Sprintf("%s = OpPhi %s %s %s %s %s", count, of, first, from, next, cont),
		fmt.Sprintf("%s = OpPhi %s %s %s %s %s", carried, t, start, from, v, cont))
	w.place(merge)
	w.values = outer
	w.values[t] = append(w.values[t], carried)
}

// cases are those of a number, some of which go on to the next one; what each comes to meets after them.
func (w *shaderWriter) cases() {
	merge, last, t := w.id(), w.id(), w.scalar()
	selector, before := w.of("%uint"), w.of(t)
	labels := make([]string, 1+w.r.IntN(4))
	list := ""
	for i := range labels {
		labels[i] = w.id()
		list += fmt.Sprintf(" %d %s", 3*i+w.r.IntN(3), labels[i])
	}
	w.line("OpSelectionMerge %s None", merge)
	w.line("OpSwitch %s %s%s", selector, last, list)
	meet := ""
	for i, label := range labels {
		v, end := w.inside(label, 1+w.r.IntN(2), t)
		if i+1 < len(labels) && w.r.IntN(4) == 0 {
			w.line("OpBranch %s", labels[i+1])
			continue
		}
		w.line("OpBranch %s", merge)
		meet += " " + v + " " + end
	}
	w.place(last)
	w.line("OpBranch %s", merge)
	w.place(merge)
	w.value(t, "OpPhi "+t+meet+" "+before+" "+last)
}
