package spec

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
)

type Inner struct {
	Depth int `yaml:"depth" range:"1..8" pow2:"true" unit:"entries" doc:"depth"`
	Most  int `yaml:"most" range:"0..8" default:"3" doc:"most"`
}

func (i Inner) Check() []Problem {
	if i.Most <= i.Depth {
		return nil
	}
	return []Problem{RangeProblem("most", "found %d: want at most depth, %d", i.Most, i.Depth)}
}

type outer struct {
	Name  string `yaml:"name" required:"true" doc:"name"`
	Kind  string `yaml:"kind" enum:"plain|fancy" doc:"kind"`
	Inner `yaml:",inline"`
	Rows  map[string]Inner `yaml:"rows" doc:"rows"`
	List  []int            `yaml:"list" enum:"16|32" items:"1..2" doc:"list"`
	Rate  float64          `yaml:"rate" range:"0..1" default:"0.5" doc:"rate"`
	Flag  bool             `yaml:"flag" default:"true" doc:"flag"`
	Note  string           `yaml:"note" default:"none" doc:"note"`
	Free  []string         `yaml:"free" default:"" doc:"free"`
}

func good() *outer { return &outer{Name: "x", Kind: "plain", Inner: Inner{2, 1}, List: []int{16}} }

func TestFieldsOfInlineStructsStandBeside(t *testing.T) {
	var names []string
	x := good()
	for _, f := range Fields(reflect.TypeFor[outer]()) {
		names = append(names, f.Name)
		if v := reflect.ValueOf(x).Elem().FieldByIndex(f.Index); f.Name == "depth" && v.Int() != 2 {
			t.Errorf("depth is found at %v: %v", f.Index, v)
		}
	}
	if want := []string{"name", "kind", "depth", "most", "rows", "list", "rate", "flag", "note", "free"}; !slices.Equal(names, want) {
		t.Errorf("fields %v, want %v", names, want)
	}
}

func TestCheckNamesValuesByPath(t *testing.T) {
	for _, c := range []struct {
		edit func(x *outer)
		want string
		kind error
	}{
		{func(x *outer) { x.Name = "" }, "name: missing", ErrMissing},
		{func(x *outer) { x.Kind = "fancey" }, "kind: found fancey: want one of plain, fancy (nearest: fancy)", ErrRange},
		{func(x *outer) { x.Depth = 3 }, "depth: found 3: want a power of two in 1..8 entries", ErrRange},
		{func(x *outer) { x.Depth = 16 }, "depth: found 16: want a power of two in 1..8 entries", ErrRange},
		{func(x *outer) { x.Rows = map[string]Inner{"a.b": {1, 2}} }, `rows."a.b".most: found 2: want at most depth, 1`, ErrRange},
		{func(x *outer) { x.Rows = map[string]Inner{"a": {0, 0}} }, "rows.a.depth: found 0: want a power of two in 1..8 entries", ErrRange},
		{func(x *outer) { x.List = []int{16, 48} }, "list[1]: found 48: want one of 16, 32", ErrRange},
		{func(x *outer) { x.List = []int{16, 16, 16} }, "list: found 3 items: want 1 to 2", ErrRange},
		{func(x *outer) { x.Rate = math.NaN() }, "rate: found NaN: want a number in 0..1", ErrRange},
		{func(x *outer) { x.Rate = 1.5 }, "rate: found 1.5: want a number in 0..1", ErrRange},
	} {
		x := good()
		c.edit(x)
		ps := Check(x)
		if len(ps) != 1 || ps[0].Error() != c.want || !errors.Is(ps[0], c.kind) {
			t.Errorf("found %v, want %s", ps, c.want)
		}
	}
	if ps := Check(good()); ps != nil {
		t.Errorf("a good one: %v", ps)
	}
}

func TestDefaults(t *testing.T) {
	x := outer{}
	v := reflect.ValueOf(&x).Elem()
	for _, f := range Fields(v.Type()) {
		if at := v.FieldByIndex(f.Index); f.HasDefault && at.CanSet() {
			f.SetDefault(at)
			if !f.IsDefault(at) {
				t.Errorf("%s: %v is not its default", f.Name, at)
			}
		}
	}
	if x.Rate != 0.5 || !x.Flag || x.Note != "none" || x.Free != nil || x.Most != 3 {
		t.Errorf("defaults: %+v", x)
	}
}

// An engine of 5 units whose parts 2 units share has 3 of them.
func TestInstances(t *testing.T) {
	s := &Shape{ShaderEngines: 2, ComputeUnits: 5}
	for sharedBy, want := range map[int][2]int{0: {1, 1}, 1: {10, 5}, 2: {6, 3}, 5: {2, 1}, 9: {2, 1}} {
		if all, each := s.Instances(sharedBy); all != want[0] || each != want[1] {
			t.Errorf("shared by %d: %d, %d in an engine; want %v", sharedBy, all, each, want)
		}
	}
	var got []int
	for engine := range 2 {
		for unit := range 5 {
			got = append(got, s.Instance(2, engine, unit))
		}
	}
	if want := []int{0, 0, 1, 1, 2, 3, 3, 4, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("instances %v, want %v", got, want)
	}
	if s.Instance(0, 1, 4) != 0 {
		t.Error("the one of the machine is not the first")
	}
}
