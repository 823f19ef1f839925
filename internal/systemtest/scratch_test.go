package systemtest

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// Scratch memory is zero for each new wave (docs/model/assumptions.md). Twelve workgroups take turns in two slots. Each lane reads an
// element of its array that it has not written, and then writes all of them.
func TestScratchIsClearedForEachWave(t *testing.T) {
	const text = `shader: dirty.spv
buffers:
  - {set: 0, binding: 0, name: at, data: {iota: u32, count: 32}}
  - {set: 0, binding: 1, name: found, data: {iota: u32, count: 384}}
dispatch: [12, 1, 1]
mode: `
	for _, mode := range []string{"timed", "functional"} {
		for _, preset := range []string{"rdna3-rx7900xtx", "gcn3-r9nano"} {
			t.Run(mode+"/"+preset, func(t *testing.T) {
				job := suite.Must(config.ParseJob(os.DirFS("testdata/keys"), "dirty.yaml", []byte(text+mode+"\n")))(t)
				m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: preset, Set: []string{"compute_units=1", "shader_engines=1", "simds=1", "wave_slots=2"}}))(t)
				r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}))(t)
				if r.Stats.ByClass[isa.ClassScratch] == 0 {
					t.Fatal("the shader uses no scratch memory: the test tests nothing")
				}
				b := r.Buffers[1].Bytes
				for i := 0; i < len(b); i += 4 {
					if v := binary.LittleEndian.Uint32(b[i:]); v != 0 {
						t.Fatalf("lane %d found %d in its own scratch memory: want 0", i/4, v)
					}
				}
			})
		}
	}
}
