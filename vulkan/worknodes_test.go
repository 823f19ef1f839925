package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// DXC's modules of HLSL work graphs give the same bytes as a job and through VK_AMDX_shader_enqueue, with payloads of
// the host and in device memory, and with the largest useful and the least scratch memory.
func TestWorkGraphs(t *testing.T) {
	b := needTools(t)
	program := b.build(t, "worknodes")
	files, err := filepath.Glob("../gpu/testdata/dxc/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d jobs, %v", len(files), err)
	}
	for i, file := range files {
		way := []string{"host", "memory"}[i%2]
		t.Run(filepath.Base(file)+" "+way, func(t *testing.T) {
			t.Parallel()
			job, result := runJob(t, file)
			var want []byte
			for i := range result.Buffers {
				want = append(want, result.Buffers[i].Bytes...)
			}
			folder := t.TempDir()
			text, out := filepath.Join(folder, "graph"), filepath.Join(folder, "out")
			suite.OK(t, os.WriteFile(text, graphText(t, job), 0o666))
			b.run(t, "", program, moduleOf(t, job, file, folder), text, out, way)
			if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v; %d bytes, the first %x; the job has %d, the first %x", err, len(got), got[:min(16, len(got))], len(want), want[:min(16, len(want))])
			}
		})
	}
}

// moduleOf is the binary module of a job.
func moduleOf(t *testing.T, job *config.Job, file, folder string) string {
	t.Helper()
	source := filepath.Join(filepath.Dir(file), job.Shader)
	if filepath.Ext(source) == ".spv" {
		return source
	}
	module := filepath.Join(folder, "module.spv")
	suite.OK(t, assemble(source, module))
	return module
}

// graphText writes a job in the program's format.
func graphText(t *testing.T, job *config.Job) []byte {
	t.Helper()
	work := suite.Must(job.GraphWork())(t)
	var text bytes.Buffer
	for i := range work[0].Nodes {
		n := &work[0].Nodes[i]
		name, index := "-", "own"
		if n.Name != "" {
			name = n.Name
		}
		if n.HasIndex {
			index = fmt.Sprint(n.Index)
		}
		fmt.Fprintf(&text, "node %s %s %s\n", n.Entry, name, index)
	}
	for i := range job.Buffers {
		content, err := job.Buffers[i].Bytes()
		if err != nil || bytes.ContainsFunc(content, func(r rune) bool { return r != 0 }) {
			t.Fatalf("%v, or a buffer that does not begin with zeros", err)
		}
		fmt.Fprintf(&text, "buffer %d %d\n", job.Buffers[i].Binding, len(content))
	}
	for i := range work[0].Dispatches {
		d := &work[0].Dispatches[i]
		count, data, stride := uint64(1), d.Data.Bytes, 0
		if d.HasCount {
			count = d.Count
		}
		if len(data) == 0 {
			data = make([]byte, 64) // of each payload, for any size
		} else {
			stride = len(data) / int(count)
		}
		fmt.Fprintf(&text, "payloads %s %d %d %d\n%s", d.Node, count, stride, len(data), data)
	}
	return text.Bytes()
}
