package sweep

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The checksums of a bundle's files are those of the program cksum.
func TestChecksumIsThatOfCksum(t *testing.T) {
	if _, err := exec.LookPath("cksum"); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 255, 256, 257, 70000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		c := exec.Command("cksum")
		c.Stdin = bytes.NewReader(data)
		out := suite.Must(c.Output())(t)
		if got, want := posixChecksum(data), strings.TrimSpace(string(out)); got != want {
			t.Errorf("%d bytes: %s, want %s", size, got, want)
		}
	}
}

func TestRangesOfNumbers(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "5": {5}, "0-3,7,9-10": {0, 1, 2, 3, 7, 9, 10}} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}
