package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The README lists every program that .ci/run installs for the tests.
func TestReadmeListsTheProgramsOfTests(t *testing.T) {
	script := suite.Must(os.ReadFile("../.ci/run"))(t)
	readme := suite.Must(os.ReadFile("../README.md"))(t)
	_, list, _ := strings.Cut(string(readme), "\n## Tests\n")
	list, _, _ = strings.Cut(list, "\n## ")
	var packages []string
	for _, m := range regexp.MustCompile(`(?m)^needs(?:file)? \S+ (.+)$`).FindAllStringSubmatch(string(script), -1) {
		packages = append(packages, strings.Fields(m[1])...)
	}
	for _, m := range regexp.MustCompile(`(\w+)@[0-9.]+ `).FindAllStringSubmatch(string(script), -1) {
		packages = append(packages, m[1])
	}
	if len(packages) < 15 {
		t.Fatalf("found %q in .ci/run: want all packages", packages)
	}
	for _, name := range packages {
		if name != "staticcheck" && !strings.Contains(list, "`"+name+"`") {
			t.Errorf("README.md, Tests: %s is not listed", name)
		}
	}
}
