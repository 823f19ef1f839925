package frontend

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// mutations is the number of spoilt variants of each module.
const mutations = 300

// TestMutations spoils single words of real modules: whatever still passes the
// checks must be translated or refused, never break the translator.
func TestMutations(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.spv")
	kernels, _ := filepath.Glob("../../spirv/validate/testdata/kernel/*.spv")
	for _, p := range append(paths, kernels...) {
		data := suite.Must(os.ReadFile(p))(t)
		r := rand.New(rand.NewPCG(1, uint64(len(data))))
		for i := range mutations {
			if err := tryMutant(mutate(r, data)); err != nil {
				t.Errorf("%s, mutant %d: %v", p, i, err)
			}
		}
	}
}

// mutate replaces one or two words by ids of the module, small numbers or each
// other.
func mutate(r *rand.Rand, data []byte) []byte {
	out := append([]byte(nil), data...)
	bound := binary.LittleEndian.Uint32(data[12:])
	for range 1 + r.IntN(2) {
		at := 20 + 4*r.IntN((len(data)-20)/4)
		w := r.Uint32N(bound)
		switch r.IntN(4) {
		case 0:
			w = r.Uint32N(8)
		case 1:
			from := 20 + 4*r.IntN((len(data)-20)/4)
			w = binary.LittleEndian.Uint32(data[from:])
		}
		binary.LittleEndian.PutUint32(out[at:], w)
	}
	return out
}

// anyLaunch has what a kernel's launch determines, for any kernel.
func anyLaunch() Kernel {
	k := Kernel{LocalSize: [3]uint32{64, 1, 1}, LocalBytes: map[int]uint32{}, Short: true}
	for i := range 16 {
		k.LocalBytes[i] = 1024
	}
	return k
}

func tryMutant(data []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	raw, err := spirv.Decode(data)
	if err != nil {
		return nil
	}
	m, err := validate.Check(raw)
	if err != nil {
		return nil
	}
	f, err := Build(m, Options{WaveSize: 64, Kernel: anyLaunch()})
	if err != nil {
		return nil
	}
	if err = ir.Verify(f); err != nil && strings.Contains(err.Error(), "does not dominate") {
		return nil // dominance is a rule of package validate
	}
	return err
}
