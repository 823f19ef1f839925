// Package monitor serves Akita's live monitor while a run goes: time, parts and
// their state, progress; pause and continue.
//
// The package does not know what runs.
package monitor

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/sarchlab/akita/v3/monitoring"
	"github.com/sarchlab/akita/v3/sim"
)

// ErrPort says that a port can't be used.
var ErrPort = errors.New("monitor: want port 0 (any) or one from 1001 to 65535, as Akita's monitor does")

// ErrAkita says that Akita's monitor did not come up as it should.
var ErrAkita = errors.New("monitor: Akita's monitor")

// A Monitor is a server on the loopback interface.
type Monitor struct {
	listener net.Listener
	akita    *monitoring.Monitor
	server   *http.Server
	bar      *monitoring.ProgressBar
}

// New takes a port of the loopback interface; 0 is any that is free.
func New(port int) (*Monitor, error) {
	if port != 0 && port <= 1000 || port < 0 || port > 65535 {
		return nil, fmt.Errorf("%w: %d", ErrPort, port)
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	return &Monitor{listener: l, akita: monitoring.NewMonitor()}, nil
}

// URL is the address of the monitor's page.
func (m *Monitor) URL() string { return "http://" + m.listener.Addr().String() }

// Attach serves the engine and the parts from now on.
func (m *Monitor) Attach(e sim.Engine, parts []sim.Component) error {
	m.akita.RegisterEngine(e)
	for _, p := range parts {
		m.akita.RegisterComponent(p)
	}
	m.bar = m.akita.CreateProgressBar("workgroups", 0)
	m.bar.StartTime = time.Now() // Akita leaves it at the year 1
	pages, err := m.pages()
	if err != nil {
		return err
	}
	m.server = &http.Server{Handler: newGuard(pages, m.listener.Addr().(*net.TCPAddr))}
	go m.server.Serve(m.listener) // it returns when Close is called
	return nil
}

// pages gets the pages of Akita's monitor. Its StartServer puts them on the
// default multiplexer, then serves that on all interfaces, which a run on a
// shared machine should not: here the multiplexer is one of our own and the
// port is taken already, so that StartServer gives up there, with a panic.
func (m *Monitor) pages() (pages *http.ServeMux, err error) {
	kept, output := http.DefaultServeMux, log.Writer()
	pages = http.NewServeMux()
	http.DefaultServeMux = pages
	log.SetOutput(io.Discard)
	defer func() {
		http.DefaultServeMux = kept
		log.SetOutput(output)
		if recover() == nil {
			err = fmt.Errorf("%w took %s a second time", ErrAkita, m.listener.Addr())
		}
	}()
	m.akita.WithPortNumber(m.listener.Addr().(*net.TCPAddr).Port).StartServer()
	return pages, nil
}

// Progress tells how many workgroups have ended, and how many run.
func (m *Monitor) Progress(ended, running, total uint64) {
	if m.bar == nil {
		return
	}
	m.bar.Lock()
	defer m.bar.Unlock()
	m.bar.Finished, m.bar.InProgress, m.bar.Total = ended, running, total
}

// Close ends the server.
func (m *Monitor) Close() error {
	if m.server != nil {
		return m.server.Close()
	}
	return m.listener.Close()
}
