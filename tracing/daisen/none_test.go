//go:build !akita

package daisen_test

import (
	"errors"
	"testing"

	"spvsim/tracing/daisen"
)

func TestBuildWithoutAkitasTracer(t *testing.T) {
	if _, err := daisen.New("x"+daisen.Suffix, 0, 0, nil); !errors.Is(err, daisen.ErrBuild) {
		t.Errorf("%v, want %v", err, daisen.ErrBuild)
	}
}
