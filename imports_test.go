package spvsim_test

import (
	"os/exec"
	"sort"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// allowedImports lists, for each package of this module, the packages of it that it may import: data flows one way, and no stage is skipped.
var allowedImports = map[string]string{
	"docs":                  "", // tests only
	"internal/suite":        "", // for tests
	"internal/skips":        "", // decides in .ci/run what may skip
	"internal/lists":        "",
	"internal/names":        "",                                                              // tests only
	"internal/randfigure":   "internal/lists",                                                // likewise
	"internal/ledger":       "config gpu internal/spec internal/suite tracing tracing/probe", // likewise
	"internal/judge":        "account config cu gpu isa program simd spirv spirv/validate tracing",
	"internal/systemtest":   "", // tests only
	"spirv/grammar":         "internal/lists",
	"spirv/grammar/gen":     "",
	"spirv":                 "spirv/grammar",
	"spirv/asm":             "spirv spirv/grammar",
	"spirv/internal/sample": "spirv spirv/grammar",
	"spirv/validate":        "internal/lists spirv spirv/grammar",
	"spirv/clc":             "internal/files",
	"spirv/kernel":          "spirv spirv/validate",
	"isa":                   "spirv",
	"isa/gen":               "",
	"gpu/raster":            "",
	"check":                 "isa mem/lane program",
	"mem/lane":              "isa",
	"mem/rmw":               "isa",
	"mem/dram":              "",
	"mem/fixed":             "",
	"mem/contention":        "mem/fixed mem/lane",
	"mem/texture":           "isa mem/rmw",
	"mem/hierarchy":         "account engine internal/spec internal/timing mem/contention mem/dram mem/fixed mem/lane",
	"mem/akita":             "internal/spec internal/timing mem/fixed mem/hierarchy",
	"program/ir":            "isa spirv",
	"internal/oracle":       "internal/lists isa program/ir",
	"program/opencl":        "isa program/ir spirv",
	"program/frontend":      "internal/lists isa program/ir program/opencl program/structure spirv spirv/kernel spirv/validate",
	"program/opt":           "isa program/ir",
	"program/structure":     "isa program/ir",
	"program":               "internal/lists isa program/frontend program/ir program/opt spirv spirv/validate",
	"internal/expression":   "",
	"energy":                "account internal/spec isa",
	"internal/files":        "internal/fault",
	"internal/bounds":       "internal/files",
	"config":                "cu energy internal/expression internal/fault internal/files internal/lists internal/spec isa mem/fixed mem/hierarchy scheduler scheduler/command simd", // the machine is put together from its components' specs
	"engine":                "",
	"internal/spec":         "internal/lists",
	"internal/checkpoint":   "internal/lists",
	"internal/parquet":      "",
	"internal/starter":      "config gpu internal/lists isa program program/ir spirv spirv/kernel spirv/validate", // of config, the sizes of texels
	"account":               "isa",
	"tracing/probe":         "account program",
	"tracing":               "account config energy internal/lists internal/schema isa program",
	"internal/schema":       "",
	"tracing/perfetto":      "account internal/expression isa tracing/probe",
	"tracing/profile":       "account config energy internal/parquet internal/schema isa mem/hierarchy program tracing tracing/probe",
	"tracing/report":        "account tracing tracing/profile",
	"tracing/daisen":        "isa tracing/probe",
	"tracing/accesses":      "internal/parquet tracing/probe",
	"tracing/monitor":       "",
	"simd":                  "account check internal/spec internal/timing isa program tracing/probe",
	"lds":                   "engine internal/spec internal/timing isa mem/lane mem/rmw",
	"internal/timing":       "account",
	"mem":                   "internal/spec internal/timing isa mem/contention mem/fixed mem/hierarchy mem/lane mem/rmw mem/texture program/ir",
	"cu/lookahead":          "engine internal/fault internal/timing isa mem simd",
	"cu":                    "account check cu/lookahead engine internal/spec internal/timing isa lds mem mem/hierarchy program simd tracing/probe",
	"scheduler":             "cu engine internal/spec",
	"scheduler/command":     "engine mem/hierarchy scheduler",
	"scheduler/graph":       "account cu engine internal/timing isa mem mem/hierarchy mem/lane program scheduler simd tracing/probe",
	"gpu/functional":        "account check internal/fault isa lds mem mem/hierarchy program simd",
	"gpu/machine":           "account config cu engine lds mem mem/akita mem/hierarchy scheduler scheduler/graph simd",
	"gpu/sampled":           "account config cu gpu/machine isa mem/hierarchy scheduler simd",
	"gpu/concurrent":        "account config cu engine gpu/machine mem mem/hierarchy scheduler scheduler/command scheduler/graph simd tracing/probe",
	"gpu":                   "account check config cu energy engine gpu/concurrent gpu/functional gpu/machine gpu/raster gpu/sampled internal/bounds internal/checkpoint internal/lists isa lds mem mem/akita mem/hierarchy mem/texture program program/ir program/opt scheduler scheduler/command scheduler/graph simd spirv spirv/asm spirv/clc spirv/kernel spirv/validate tracing tracing/probe",
	"internal/fault":        "",
	"experiments":           "config internal/lists",
	"experiments/accuracy":  "config experiments gpu internal/expression internal/files internal/lists",
	"experiments/energyfit": "account config energy internal/fault internal/lists internal/schema tracing",
	"experiments/sampling":  "account config experiments gpu internal/bounds internal/files",
	"experiments/sweep":     "account config experiments internal/files internal/lists internal/parquet internal/schema tracing",
	"experiments/measure":   "config experiments/sweep gpu internal/files internal/lists mem/texture spirv spirv/validate vulkan/device",
	"experiments/whatif":    "account config gpu internal/fault isa tracing",
	"plots":                 "internal/expression internal/fault internal/files internal/lists internal/spec",
	"internal/fuzz":         "", // tests only
	"internal/fuzz/mutate":  "spirv spirv/grammar",
	"vulkan":                "vulkan/driver",
	"vulkan/driver":         "account check config gpu internal/expression internal/files internal/lists isa mem mem/texture program program/ir spirv spirv/validate tracing tracing/perfetto tracing/probe tracing/profile vulkan/formats vulkan/vk",
	"vulkan/device":         "internal/lists vulkan/formats vulkan/vk",
	"vulkan/formats":        "vulkan/vk",
	"vulkan/gen":            "",
	"vulkan/launch":         "internal/files spirv",
	"vulkan/rows":           "account experiments/sweep internal/files internal/parquet plots tracing/perfetto tracing/report",
	"vulkan/vk":             "",
	"cmd/spvsim":            "check config energy engine experiments experiments/energyfit experiments/measure experiments/sweep experiments/whatif gpu internal/bounds internal/expression internal/fault internal/files internal/judge internal/lists internal/starter plots program spirv spirv/asm spirv/validate tracing tracing/accesses tracing/daisen tracing/monitor tracing/perfetto tracing/probe tracing/profile tracing/report vulkan/device vulkan/launch vulkan/rows",

	"scheduler/internal/testmachine": "cu engine internal/spec internal/timing isa lds mem program simd", // for tests
}

// akita are the packages that may know the event engine.
var akita = map[string]bool{"engine": true, "simd": true, "lds": true, "cu/lookahead": true, "cu": true, "scheduler": true, "scheduler/command": true, "scheduler/graph": true, "scheduler/internal/testmachine": true, "mem/akita": true, "mem/hierarchy": true, "gpu": true, "gpu/concurrent": true, "gpu/machine": true, "tracing/daisen": true, "tracing/monitor": true,
	"internal/ledger": true}

func TestImportsAreAllowed(t *testing.T) {
	out := suite.Must(exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output())(t)
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
	out := suite.Must(exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./simd", "./lds", "./cu").Output())(t)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		for _, path := range words[1:] {
			if path == "sync" || path == "sync/atomic" || path == "runtime" {
				t.Errorf("%s imports %s", words[0], path)
			}
		}
	}
}
