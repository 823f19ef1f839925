package opt

import (
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program/frontend"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// shaders are the modules of the repository.
func shaders(t testing.TB) []string {
	var files []string
	for _, dir := range []string{"../frontend/testdata", "../frontend/testdata/*", "../../experiments", "../../experiments/*", "../../experiments/*/*"} {
		found := suite.Must(filepath.Glob(dir + "/*.spv"))(t)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatal("no shaders found")
	}
	return files
}

func build(t testing.TB, file string) *ir.Func {
	data := suite.Must(os.ReadFile(file))(t)
	m := suite.Must(spirv.Decode(data))(t)
	v := suite.Must(validate.Check(m))(t)
	o := frontend.Options{WaveSize: 32}
	if e := &v.EntryPoints[0]; e.Model == spirv.ExecutionModelKernel {
		o.Entry, o.Kernel = e.Name, anyLaunch()
	}
	f, err := frontend.Build(v, o)
	if err != nil {
		t.Skip(err)
	}
	return f
}

// anyLaunch has what a kernel's launch determines, for any kernel.
func anyLaunch() frontend.Kernel {
	k := frontend.Kernel{LocalSize: [3]uint32{64, 1, 1}, LocalBytes: map[int]uint32{}}
	for i := range 16 {
		k.LocalBytes[i] = 1024
	}
	return k
}

// Every pass leaves every shader in a state that breaks no rule of the form.
func TestPassesKeepRules(t *testing.T) {
	for _, file := range shaders(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f := build(t, file)
			step, seen := 0, map[string]bool{}
			check = func(pass string, f *ir.Func) {
				step, seen[pass] = step+1, true
				if pass == "bitcasts" {
					return // types no longer agree
				}
				if err := ir.Verify(f); err != nil {
					t.Fatalf("after step %d, %s:\n%v", step, pass, err)
				}
			}
			defer func() { check = nil }()
			Run(f, Options{FuseMad: true, LshlAdd: true, Add3: true})
			for _, group := range schedule {
				for _, p := range group.passes[:1] {
					if !seen[p.name] {
						t.Errorf("pass %s was not looked at", p.name)
					}
				}
			}
		})
	}
}

// A large function: the matrix product, unrolled to well over a thousand values.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	values := 0
	for b.Loop() {
		b.StopTimer()
		f := build(b, "../../experiments/library/matmul.spv")
		b.StartTimer()
		Run(f, Options{FuseMad: true, LshlAdd: true, Add3: true})
		values = f.NumValues()
	}
	b.ReportMetric(float64(values), "values")
}
