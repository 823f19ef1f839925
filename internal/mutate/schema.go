package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// All changes of a package stand in one program, so that it compiles once: a
// function has a copy beside it for each of its changes, and begins by asking
// whether the environment wants one of them.

// variable of the environment holds the number of the change to run with.
const variable = "SPVSIM_CHANGE"

// measuring is the number with which functions say that they are entered, in the file that entered names.
const (
	measuring = -1
	entered   = "SPVSIM_ENTERED"
)

// selector is what the changed package holds beside its own files: its name, and how many numbers of changes there are. Asking allocates
// nothing, and enter_ not again, as tests may count that.
const selector = `package %s

import (
	change_fmt "fmt"
	change_os "os"
	change_strconv "strconv"
	change_atomic "sync/atomic"
)

var change_, _ = change_strconv.Atoi(change_os.Getenv("` + variable + `"))

var entered_ [%d]change_atomic.Bool

func enter_(n int) {
	if entered_[n].Load() || entered_[n].Swap(true) {
		return
	}
	f, err := change_os.OpenFile(change_os.Getenv("` + entered + `"), change_os.O_APPEND|change_os.O_CREATE|change_os.O_WRONLY, 0o600)
	if err == nil {
		change_fmt.Fprintln(f, n)
		f.Close()
	}
}
`

// A function is one whose body changes.
type function struct {
	pkg      string // the word after "package"
	source   []byte
	from, to int    // its declaration, without the comment before
	name     [2]int // from and to
	body     int    // after the brace that opens it
	names    []edit // of parameters that have none
	head     string // a call of it: %s represents what follows its name
}

// An edit replaces the bytes from..to of a file.
type edit struct {
	from, to int
	text     string
}

func newFunction(files *token.FileSet, pkg string, d *ast.FuncDecl, source []byte) *function {
	at := func(p token.Pos) int { return files.Position(p).Offset }
	f := &function{pkg: pkg, source: source, from: at(d.Pos()), to: at(d.End()), body: at(d.Body.Lbrace) + 1,
		name: [2]int{at(d.Name.Pos()), at(d.Name.End())}}
	if d.Doc != nil {
		f.from = at(d.Type.Func)
	}
	if d.Recv != nil {
		f.head = f.parameters(at, d.Recv, "receiver_") + "."
	}
	f.head += d.Name.Name + "%s"
	if d.Type.TypeParams != nil {
		f.head += "[" + f.parameters(at, d.Type.TypeParams, "type_") + "]"
	}
	f.head += "(" + f.parameters(at, d.Type.Params, "parameter_") + ")"
	if d.Type.Results != nil {
		f.head = "return " + f.head
	} else {
		f.head += "; return"
	}
	return f
}

// parameters are the names of a list of parameters, as a call hands them on;
// those that have none get one.
func (f *function) parameters(at func(token.Pos) int, list *ast.FieldList, prefix string) string {
	var names []string
	for i, p := range list.List {
		if len(p.Names) == 0 {
			names = append(names, fmt.Sprintf("%s%d", prefix, i))
			f.names = append(f.names, edit{at(p.Type.Pos()), at(p.Type.Pos()), names[len(names)-1] + " "})
		}
		for k, n := range p.Names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprintf("%s%d_%d", prefix, i, k)
				f.names = append(f.names, edit{at(n.Pos()), at(n.End()), name})
			}
			names = append(names, name)
		}
		if _, many := p.Type.(*ast.Ellipsis); many {
			names[len(names)-1] += "..."
		}
	}
	return strings.Join(names, ", ")
}

// suffix is what the copy for a change has after the function's name.
func suffix(number int) string { return fmt.Sprintf("_change%d", number) }

// replaced applies edits, which do not overlap, to the bytes from..to of a source.
func replaced(source []byte, from, to int, edits []edit) []byte {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var out []byte
	for _, e := range edits {
		out = append(append(out, source[from:e.from]...), e.text...)
		from = e.to
	}
	return append(out, source[from:to]...)
}

// copyWith is the function with one change, under its number.
func (c *change) copyWith(number int) []byte {
	f := c.in
	return replaced(f.source, f.from, f.to, []edit{{f.name[1], f.name[1], suffix(number)}, {c.from, c.to, c.text}})
}

// A schema is a file with the copies for its changes after it.
type schema struct {
	pkg     string // the word after "package"
	path    string // where it is laid
	text    []byte
	numbers []int
	starts  []int // line from which the copy for each change is
}

// newSchema puts the changes of the given numbers, all of one file, into it. It notes the number under which each
// function says that it was entered.
func newSchema(all []change, numbers []int, entries map[*function]int) *schema {
	first := &all[numbers[0]-1]
	asks := map[*function]string{}
	var order []*function
	for _, n := range numbers {
		f := all[n-1].in
		if asks[f] == "" {
			entries[f], order = n, append(order, f)
			asks[f] = fmt.Sprintf(" case %d: enter_(%d);", measuring, n)
		}
		asks[f] += fmt.Sprintf(" case %d: "+f.head+";", n, suffix(n))
	}
	var edits []edit
	for _, f := range order {
		edits = append(edits, f.names...)
		edits = append(edits, edit{f.body, f.body, " switch change_ {" + asks[f] + " };"})
	}
	s := &schema{pkg: first.in.pkg, text: append(replaced(first.source, 0, len(first.source), edits), '\n'), numbers: numbers}
	for _, n := range numbers {
		s.starts = append(s.starts, 1+bytes.Count(s.text, []byte("\n")))
		s.text = append(append(s.text, all[n-1].copyWith(n)...), '\n')
	}
	return s
}

// at is the change in whose copy a line is, or -1.
func (s *schema) at(line int) int { return sort.SearchInts(s.starts, line+1) - 1 }
