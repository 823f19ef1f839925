package spvsim_test

import (
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// allowedImports lists, for each package of this module, the packages of it that it may import: data flows one way, and no stage is skipped.
var allowedImports = map[string]string{
	"docs":                  "",                                                              // tests only
	"internal/suite":        "",                                                              // for tests
	"internal/skips":        "",                                                              // decides in .ci/run what may skip
	"internal/randfigure":   "",                                                              // likewise
	"internal/ledger":       "config gpu internal/suite tracing/probe internal/spec tracing", // likewise
	"internal/mutate":       "internal/suite",                                                // a tool for those who work on the model
	"internal/pgo":          "",                                                              // records the profile that the command is compiled by
	"internal/judge":        "account config cu gpu isa program simd spirv spirv/validate tracing",
	"internal/judge/cmd":    "config experiments internal/judge",
	"systemtest":            "", // tests only
	"spirv/grammar":         "",
	"spirv/grammar/gen":     "",
	"spirv":                 "spirv/grammar",
	"spirv/asm":             "spirv spirv/grammar",
	"spirv/internal/sample": "spirv spirv/grammar",
	"spirv/validate":        "spirv spirv/grammar",
	"isa":                   "spirv",
	"isa/gen":               "isa",
	"gpu/raster":            "",
	"mem/lane":              "isa",
	"mem/rmw":               "isa mem/lane",
	"mem/dram":              "",
	"mem/fixed":             "",
	"mem/contention":        "mem/fixed mem/lane",
	"mem/texture":           "isa mem/rmw",
	"mem/hierarchy":         "account engine internal/spec internal/timing mem/contention mem/dram mem/fixed mem/lane",
	"mem/akita":             "internal/spec internal/timing mem/fixed mem/hierarchy",
	"program/ir":            "isa spirv",
	"internal/oracle":       "isa program/ir",
	"program/frontend":      "isa program/ir spirv spirv/validate",
	"program/opt":           "isa program/ir",
	"program":               "isa program/ir program/frontend program/opt spirv spirv/validate",
	"internal/expression":   "",
	"energy":                "account isa internal/spec",
	"internal/files":        "internal/fault",
	"internal/bounds":       "internal/files",
	"config":                "scheduler/command internal/files energy internal/expression internal/fault isa internal/spec simd lds cu scheduler mem/hierarchy", // the machine is put together from its components' specs
	"engine":                "",
	"internal/spec":         "",
	"internal/starter":      "config isa program program/ir spirv spirv/validate", // of config, the sizes of texels
	"account":               "isa",
	"tracing/probe":         "program account",
	"tracing":               "isa program config account energy",
	"tracing/perfetto":      "account internal/expression tracing/probe isa tracing",
	"tracing/profile":       "account energy tracing/probe isa program config tracing",
	"tracing/report":        "account tracing/probe tracing tracing/profile",
	"tracing/daisen":        "account tracing/probe isa tracing",
	"tracing/monitor":       "",
	"simd":                  "isa program account tracing/probe internal/spec",
	"lds":                   "engine isa mem/lane mem/rmw internal/spec",
	"internal/timing":       "account",
	"mem":                   "internal/spec internal/timing isa mem/fixed mem/contention mem/hierarchy mem/lane mem/rmw mem/texture program/ir",
	"cu/lookahead":          "internal/fault engine internal/timing isa mem simd",
	"cu":                    "engine internal/timing isa program simd lds cu/lookahead mem account tracing/probe internal/spec mem/hierarchy",
	"scheduler":             "engine internal/timing isa program simd mem mem/lane cu account tracing/probe internal/spec mem/hierarchy",
	"scheduler/command":     "engine scheduler",
	"gpu/functional":        "internal/fault account isa lds mem program simd mem/hierarchy",
	"gpu":                   "internal/bounds account scheduler/command energy gpu/functional tracing/probe engine gpu/raster spirv spirv/asm spirv/validate isa program program/ir program/opt config simd lds mem cu scheduler tracing mem/akita mem/hierarchy mem/texture",
	"internal/fault":        "",
	"experiments":           "config",
	"experiments/accuracy":  "internal/files config gpu",
	"experiments/sampling":  "internal/files account config experiments gpu",
	"experiments/sweep":     "internal/files config experiments tracing",
	"plots":                 "internal/files internal/expression internal/fault",
	"internal/fuzz":         "config experiments internal/fuzz/mutate gpu plots program spirv spirv/asm spirv/validate internal/starter tracing/profile tracing/report",
	"internal/fuzz/mutate":  "spirv spirv/grammar",
	"internal/fuzz/cmd":     "internal/fuzz",
	"vulkan":                "vulkan/driver",
	"vulkan/driver":         "internal/files account config gpu isa mem tracing/probe program program/ir spirv spirv/validate tracing tracing/perfetto tracing/profile vulkan/vk internal/expression mem/texture",
	"vulkan/gen":            "",
	"vulkan/launch":         "internal/files",
	"vulkan/rows":           "internal/files account experiments/sweep plots tracing/perfetto tracing/report",
	"vulkan/vk":             "",
	"cmd/spvsim":            "internal/bounds internal/fault internal/files account tracing/probe engine internal/starter spirv spirv/asm spirv/validate program config gpu tracing tracing/perfetto tracing/profile tracing/report tracing/daisen tracing/monitor experiments experiments/sweep plots internal/judge vulkan/launch vulkan/rows internal/expression",
}

// akita are the packages that may know the event engine.
var akita = map[string]bool{"engine": true, "simd": true, "lds": true, "cu/lookahead": true, "cu": true, "scheduler": true, "scheduler/command": true, "mem/hierarchy": true, "mem/akita": true, "gpu": true, "tracing": true,
	"internal/ledger": true, "tracing/daisen": true, "tracing/monitor": true}

func TestImportsAreAllowed(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		from, ok := strings.CutPrefix(words[0], "spvsim/")
		if !ok {
			continue
		}
		allowed, known := allowedImports[from]
		if !known {
			t.Errorf("package %s is not in allowedImports: add a row with what it may import", from)
			continue
		}
		checkImports(t, from, strings.Fields(allowed), words[1:])
	}
}

// archived are modules without a maintainer, with what to use in their place.
var archived = map[string]string{"gopkg.in/yaml.v3": "go.yaml.in/yaml/v3", "gopkg.in/yaml.v2": "go.yaml.in/yaml/v3", "github.com/pkg/errors": "errors"}

func checkImports(t *testing.T, from string, allowed, imports []string) {
	sort.Strings(allowed)
	for _, path := range imports {
		if instead := archived[path]; instead != "" {
			t.Errorf("%s imports %s, which is archived: use %s", from, path, instead)
		}
		if strings.HasPrefix(path, "github.com/sarchlab/akita") && !akita[from] {
			t.Errorf("%s imports %s: the event engine is not for this package", from, path)
		}
		to, ours := strings.CutPrefix(path, "spvsim/")
		if i := sort.SearchStrings(allowed, to); ours && (i == len(allowed) || allowed[i] != to) {
			t.Errorf("%s imports %s: allowedImports does not have it", from, to)
		}
	}
}

// Compute units, SIMDs and the LDS are models in cycles. Only package lookahead decides which host thread runs them.
func TestModelStartsNoThreads(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./simd", "./lds", "./cu").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		for _, path := range words[1:] {
			if path == "sync" || path == "sync/atomic" || path == "runtime" {
				t.Errorf("%s imports %s", words[0], path)
			}
		}
	}
}
