//go:build akita

package monitor

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// changing are the prefixes of the paths that change the engine's state.
var changing = []string{"/api/pause", "/api/continue", "/api/run", "/api/tick/"}

func changesState(path string) bool {
	return slices.ContainsFunc(changing, func(p string) bool { return strings.HasPrefix(path, p) })
}

// A guard protects the pages. Otherwise a page of another site, open in a browser of this computer, could request them:
// under a host name of its own that resolves here, or with a link.
type guard struct {
	pages http.Handler
	hosts []string // our host names
}

func newGuard(pages http.Handler, at *net.TCPAddr) *guard {
	g := &guard{pages: pages}
	for _, name := range []string{"127.0.0.1", "localhost"} {
		g.hosts = append(g.hosts, net.JoinHostPort(name, strconv.Itoa(at.Port)))
	}
	return g
}

func (g *guard) isOwnHost(host string) bool { return slices.Contains(g.hosts, host) }

// isCrossSite reports whether a browser marks a request as coming from a page or a link of another origin: cross-site, or
// same-site for another port of this computer (Fetch Metadata Request Headers, section 2.4). Programs other than
// browsers send no mark.
func isCrossSite(fetchSite string) bool {
	return fetchSite != "" && fetchSite != "same-origin" && fetchSite != "none"
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin, named := strings.CutPrefix(r.Header.Get("Origin"), "http://")
	switch {
	case !g.isOwnHost(r.Host):
		http.Error(w, fmt.Sprintf("host %q: want %s", r.Host, g.hosts[0]), http.StatusForbidden)
	case r.Header.Get("Origin") != "" && !(named && g.isOwnHost(origin)), isCrossSite(r.Header.Get("Sec-Fetch-Site")):
		http.Error(w, "a request from another site", http.StatusForbidden)
	case changesState(r.URL.Path) && r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, r.URL.Path+" changes the run: want POST", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		g.page(w, r)
	default:
		g.pages.ServeHTTP(w, r)
	}
}

// posting makes the buttons of Akita's page, which only know GET, use POST.
var posting = []byte(`<script>{
const get = window.fetch
const changing = ["` + strings.Join(changing, `", "`) + `"]
window.fetch = (url, options) => changing.some(p => String(url).startsWith(p)) ? get(url, {...options, method: "POST"}) : get(url, options)
}</script>
`)

// page serves Akita's page with posting in it.
func (g *guard) page(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	r.Header.Del("Range")
	r.Header.Del("If-Modified-Since")
	kept := &bufferedResponse{header: w.Header(), status: http.StatusOK}
	g.pages.ServeHTTP(kept, r)
	body := kept.body.Bytes()
	if at := bytes.Index(body, []byte("<script")); at >= 0 { // before the page's own
		body = slices.Concat(body[:at], posting, body[at:])
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(kept.status)
	_, _ = w.Write(body) // the client may be gone
}

// bufferedResponse buffers an answer that is not sent yet.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *bufferedResponse) Header() http.Header         { return k.header }
func (k *bufferedResponse) WriteHeader(status int)      { k.status = status }
func (k *bufferedResponse) Write(p []byte) (int, error) { return k.body.Write(p) }
