package monitor_test

import (
	"errors"
	"log"
	"net/http"
	"os"
	"testing"

	"spvsim/internal/suite"
	"spvsim/tracing/monitor"
)

// The process's own multiplexer and log are unchanged: another package may use them.
func TestProcessIsLeftAlone(t *testing.T) {
	kept := http.DefaultServeMux
	m, err := monitor.New(0)
	if errors.Is(err, monitor.ErrBuild) {
		t.Skip("built without Akita's tools")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	suite.OK(t, m.Attach(nil, nil))
	r, _ := http.NewRequest("GET", "/api/now", nil)
	if _, pattern := http.DefaultServeMux.Handler(r); http.DefaultServeMux != kept || pattern != "" || log.Writer() != os.Stderr {
		t.Errorf("the default multiplexer answers with %q, the log goes to %v", pattern, log.Writer())
	}
}
