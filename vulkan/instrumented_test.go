package main_test

import (
	"strings"
	"testing"
)

// The validation layers' printf and GPU-assisted validation instrument shaders on the device as it is; without layers,
// the output of shaders is on standard error.
func TestInstrumentedShaders(t *testing.T) {
	t.Parallel()
	b := needTools(t)
	if *driverManifest != "" {
		t.Skip("standard error is this driver's")
	}
	program := b.build(t, "instrumented")
	const enable = "VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_"
	for _, c := range []struct{ name, layers, enabled, word, want string }{
		{"printf of the driver", "", "", "prints", "workgroup 0,0,0, wave 0, lane 1: word 1 is 2531"},
		{"printf of the layers", layer, enable + "DEBUG_PRINTF_EXT", "prints", "word 1 is 2531"},
		{"GPU-assisted validation", layer, enable + "GPU_ASSISTED_EXT", "unwritten", "Descriptor index 5 is uninitialized"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.layers != "" && installedLayers() == "" {
				t.Skip("the validation layers (vulkan-validationlayers) are not installed")
			}
			run := b.command(program, c.word)
			run.Env = append(b.environment(c.layers), c.enabled)
			out, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, tail(out))
			}
			checkLines(t, string(out), "")
			if !strings.Contains(string(out), c.want) || c.layers != "" && strings.Contains(string(out), "spvsim: ") {
				t.Errorf("no %q, or a message of the driver, in\n%s", c.want, tail(out))
			}
		})
	}
}
