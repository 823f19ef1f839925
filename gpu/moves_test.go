package gpu

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/config"
)

// Transfers move rows of bytes as far apart as they say, in their order, with time and without, in steps and in queues: against a model, byte by byte.
func TestTransfersAgainstAModel(t *testing.T) {
	const size = 96
	r := rand.New(rand.NewPCG(14, 14))
	for round := range 24 {
		model := map[string][]byte{"a": make([]byte, size), "b": make([]byte, size)}
		var initial [2]strings.Builder
		for i, name := range []string{"a", "b"} {
			for k := range model[name] {
				model[name][k] = byte(r.Uint32())
				fmt.Fprintf(&initial[i], "%d, ", model[name][k])
			}
		}
		text := fmt.Sprintf("shader: scale.spvasm\nbuffers:\n  - {name: a, unbound: true, data: {type: u8, values: [%s]}}\n  - {name: b, unbound: true, data: {type: u8, values: [%s]}}\n", initial[0].String(), initial[1].String())
		indent := ""
		if round%2 == 1 {
			text, indent = text+"queues:\n- steps:\n", "  "
		} else {
			text += "steps:\n"
		}
		for range 1 + r.IntN(3) {
			bytesOf, rows := uint64(r.IntN(9)), uint64(r.IntN(4))
			to, from := []string{"a", "b"}[r.IntN(2)], []string{"a", "b"}[r.IntN(2)]
			if to == from {
				from = ""
			}
			toRow, fromRow := bytesOf+uint64(r.IntN(9)), uint64(r.IntN(12))
			at, offset := uint64(r.IntN(30)), uint64(r.IntN(30))
			source := fmt.Sprintf("from: %s, offset: %d, from_row: %d", from, offset, fromRow)
			data := []byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())}
			if from == "" {
				source = fmt.Sprintf("data: {type: u8, values: [%d, %d, %d]}", data[0], data[1], data[2])
			}
			text += fmt.Sprintf("%s- {transfer: {bytes: 64, moves: [{to: %s, at: %d, bytes: %d, rows: %d, to_row: %d, %s}]}}\n", indent, to, at, bytesOf, rows, toRow, source)
			for row := range rows {
				for i := range bytesOf {
					v := data[i%3]
					if from != "" {
						v = model[from][offset+row*fromRow+i]
					}
					model[to][at+row*toRow+i] = v
				}
			}
		}
		for _, mode := range config.Modes[:2] {
			s := setup(t, text, "rdna3-rx7900xtx")
			s.Mode = mode
			result, err := Run(context.Background(), s)
			if err != nil {
				t.Fatal(text, err)
			}
			for i, name := range []string{"a", "b"} {
				if got := result.Buffers[i].Bytes; !bytes.Equal(got, model[name]) {
					t.Fatalf("%s\n%s: %s has %v, want %v", text, mode, name, got, model[name])
				}
			}
		}
	}
}

// Data for a node is its payloads and nothing else: as many as are said, as far apart as is said.
func TestSizesOfPayloads(t *testing.T) {
	for size := range uint64(4) {
		for stride := -1; stride < 5; stride++ {
			for n := range 13 {
				for count := -1; count < 4; count++ {
					d := &config.PayloadDispatch{HasData: true, Stride: int64(stride), HasCount: count >= 0, Count: uint64(max(count, 0))}
					d.Data.Bytes = make([]byte, n)
					ok := true
					switch {
					case stride < 0 && size == 0:
						ok = n == 0
					case stride < 0 && count < 0:
						ok = n%int(size) == 0
					case stride < 0:
						ok = n == count*int(size)
					case stride == 0:
						ok = n == int(size)
					case count >= 0:
						ok = n <= count*max(stride, int(size))
					}
					if err := payloadSizes(d, size); (err == nil) != ok {
						t.Errorf("%d bytes for %d payloads of %d, %d apart: %v", n, count, size, stride, err)
					}
				}
			}
		}
		for _, lengths := range [][]int{{}, {1}, {2}, {1, 1}, {1, 2}, {3, 3, 3}} {
			ok := true
			for _, n := range lengths {
				ok = ok && n == int(size)
			}
			if err := payloadSizes(&config.PayloadDispatch{Lengths: lengths, HasData: true, Stride: -1, Data: config.Content{Bytes: make([]byte, 5)}}, size); (err == nil) != ok {
				t.Errorf("payloads of %v bytes for one of %d: %v", lengths, size, err)
			}
		}
	}
	if payloadSizes(&config.PayloadDispatch{Stride: -1}, 4) != nil {
		t.Error("no data is wrong data")
	}
}
