//go:build akita

package monitor

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sarchlab/akita/v3/monitoring/web"
	"github.com/sarchlab/akita/v3/sim"
)

// A Monitor is a server on the loopback interface.
type Monitor struct {
	listener   net.Listener
	server     *http.Server
	engine     sim.Engine
	components []sim.Component
	buffers    []sim.Buffer

	control sync.Mutex // over pausing: a run that reports its progress must not wait for a request that waits for its pause
	paused  bool       // by the page's user
	mutex   sync.Mutex // over the bar
	bar     bar
}

// A bar is the progress of a run, as the page reads it.
type bar struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	StartTime  time.Time `json:"start_time"`
	Total      uint64    `json:"total"`
	Finished   uint64    `json:"finished"`
	InProgress uint64    `json:"in_progress"`
}

// New listens on a port of the loopback interface; 0: any free port.
func New(port int) (*Monitor, error) {
	if port != 0 && port <= 1000 || port < 0 || port > 65535 {
		return nil, fmt.Errorf("%w: %d", ErrPort, port)
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	return &Monitor{listener: l}, nil
}

// URL is the address of the monitor's page.
func (m *Monitor) URL() string { return "http://" + m.listener.Addr().String() }

// Attach serves the engine and the parts from now on.
func (m *Monitor) Attach(e sim.Engine, parts []sim.Component) error {
	m.engine, m.components = e, parts
	m.buffers = buffersOf(parts)
	m.bar = bar{ID: "1", Name: "workgroups", StartTime: time.Now()}
	m.server = &http.Server{Handler: newGuard(m.pages(), m.listener.Addr().(*net.TCPAddr)), ReadHeaderTimeout: time.Minute}
	go m.server.Serve(m.listener) // it returns when Close is called
	return nil
}

// pages serves Akita's page, and its requests.
func (m *Monitor) pages() *http.ServeMux {
	pages := http.NewServeMux()
	for path, answer := range map[string]http.HandlerFunc{
		"/api/pause":                m.pause,
		"/api/continue":             m.proceed,
		"/api/run":                  notImplemented("the job runs its engine"),
		"/api/now":                  m.now,
		"/api/tick/{name}":          m.tick,
		"/api/list_components":      m.list,
		"/api/component/{name}":     m.component,
		"/api/field/{json}":         m.field,
		"/api/hangdetector/buffers": m.levels,
		"/api/progress":             m.progress,
		"/api/resource":             m.resource,
		"/api/profile":              m.profile,
		"/api/traffic/{name}":       notImplemented("no analyzer of traffic is attached"),
	} {
		pages.HandleFunc(path, answer)
	}
	pages.Handle("/", http.FileServer(web.GetAssets()))
	return pages
}

// notImplemented answers requests that this monitor does not support.
func notImplemented(why string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, why, http.StatusNotImplemented) }
}

// Progress reports how many workgroups have ended, and how many run.
func (m *Monitor) Progress(ended, running, total uint64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.bar.Finished, m.bar.InProgress, m.bar.Total = ended, running, total
}

// Close ends the server.
func (m *Monitor) Close() error {
	if m.server != nil {
		return m.server.Close()
	}
	return m.listener.Close()
}
