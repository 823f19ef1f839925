//go:build akita

package monitor

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/internal/suite"
)

// Only the monitor's own pages may send requests, and only POST changes the run.
func TestGuard(t *testing.T) {
	m := suite.Must(New(0))(t)
	defer m.Close()
	suite.OK(t, m.Attach(sim.NewSerialEngine(), nil))
	own := strings.TrimPrefix(m.URL(), "http://")
	_, port, _ := strings.Cut(own, ":")
	for _, c := range []struct {
		method, path, host, origin string
		want                       int
	}{
		{"GET", "/api/now", own, "", http.StatusOK},
		{"GET", "/api/now", "localhost:" + port, "", http.StatusOK},
		{"GET", "/api/now", "evil.example:" + port, "", http.StatusForbidden},
		{"GET", "/api/now", "127.0.0.1:1", "", http.StatusForbidden},
		{"GET", "/", "evil.example", "", http.StatusForbidden},
		{"GET", "/api/pause", own, "", http.StatusMethodNotAllowed},
		{"GET", "/api/continue", own, "", http.StatusMethodNotAllowed},
		{"GET", "/api/run", own, "", http.StatusMethodNotAllowed},
		{"GET", "/api/tick/Cluster", own, "", http.StatusMethodNotAllowed},
		{"POST", "/api/pause", own, "http://evil.example", http.StatusForbidden},
		{"POST", "/api/pause", own, "null", http.StatusForbidden},
		{"POST", "/api/pause", own, m.URL(), http.StatusOK},
		{"POST", "/api/continue", own, "", http.StatusOK},
		{"POST", "/api/run", own, "", http.StatusNotImplemented},
		{"POST", "/api/tick/Cluster", own, "", http.StatusNotFound},
		{"GET", "/api/component/Cluster", own, "", http.StatusNotFound},
		{"GET", "/api/field/x", own, "", http.StatusBadRequest},
		{"GET", "/api/hangdetector/buffers?limit=-1", own, "", http.StatusBadRequest},
		{"GET", "/api/hangdetector/buffers?sort=level&limit=10", own, "", http.StatusOK},
		{"GET", "/api/traffic/Cluster", own, "", http.StatusNotImplemented},
		{"GET", "/api/resource", own, "", http.StatusOK},
		{"GET", "/api/progress", own, "", http.StatusOK},
	} {
		r := httptest.NewRequest(c.method, m.URL()+c.path, nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		m.server.Handler.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s of %s from %q: status %d, want %d", c.method, c.path, c.host, c.origin, w.Code, c.want)
		}
	}
}

// Browsers mark requests of other sites' pages: all of them are refused, even for a page.
func TestGuardOfMarkedRequests(t *testing.T) {
	m := suite.Must(New(0))(t)
	defer m.Close()
	suite.OK(t, m.Attach(sim.NewSerialEngine(), nil))
	for site, want := range map[string]int{"": http.StatusOK, "same-origin": http.StatusOK, "none": http.StatusOK,
		"cross-site": http.StatusForbidden, "same-site": http.StatusForbidden, "other": http.StatusForbidden} {
		for _, of := range []struct{ method, path string }{{"GET", "/"}, {"GET", "/api/now"}, {"POST", "/api/continue"}} {
			r := httptest.NewRequest(of.method, m.URL()+of.path, nil)
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
			w := httptest.NewRecorder()
			m.server.Handler.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s %s marked %q: status %d, want %d", of.method, of.path, site, w.Code, want)
			}
		}
	}
}

// The page's buttons use POST.
func TestPageAsksByPost(t *testing.T) {
	m := suite.Must(New(0))(t)
	defer m.Close()
	suite.OK(t, m.Attach(sim.NewSerialEngine(), nil))
	r := suite.Must(http.Get(m.URL() + "/"))(t)
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil || !strings.Contains(string(page), `"/api/pause", "/api/continue"`) || !strings.Contains(string(page), "</body>") {
		t.Errorf("%v: %.300s", err, page)
	}
}
