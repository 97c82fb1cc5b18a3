package test

import (
	"encoding/pem"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// Server is an API server with TLS, a bearer token, permissions, and objects in memory, which survive restarts. It supports
// watch, merge patch, server-side apply, list and delete, and failures on demand.
type Server struct {
	// Folder contains the token and the certificate, as in a Pod's projected volume.
	Folder string

	tb    testing.TB
	http  *httptest.Server
	gate  gate
	mu    sync.Mutex
	token string
	state state
	fault func(Call) Fault
	calls []Call
	deny  map[string]bool
	// rights are those of the client by namespace; nil allows everything that is not denied.
	rights map[string][]cluster.Rule
	// now is the server's clock; nil is the real one.
	now func() time.Time
}

// Call is one parsed request.
type Call struct {
	Verb   string // watch, list, patch, delete, deletecollection, create
	Object cluster.Ref
	Query  string
	Agent  string
	Number int // counts all calls, from 1
}

// newServer starts a server that stops at the end of the test.
func newServer(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, Folder: tb.TempDir(), state: newState(), deny: map[string]bool{}}
	s.RotateToken("token-1")
	s.listen(listenOnFreePort(tb))
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
	require.NoError(tb, os.WriteFile(filepath.Join(s.Folder, "ca.crt"), certificate, 0o600))
	tb.Cleanup(func() {
		s.Unfreeze()
		s.stop()
	})
	return s
}

// Address returns the host and port, which stay the same when the server restarts.
func (s *Server) Address() (host, port string) {
	host, port, err := net.SplitHostPort(s.http.Listener.Addr().String())
	require.NoError(s.tb, err)
	return host, port
}

// Config returns the configuration of a client for the server.
func (s *Server) Config() cluster.Config {
	host, port := s.Address()
	return cluster.Config{Host: host, Port: port, Folder: s.Folder}
}

// RotateToken replaces the token, in the file and in the server.
func (s *Server) RotateToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
	temporary := filepath.Join(s.Folder, "token.new")
	require.NoError(s.tb, os.WriteFile(temporary, []byte(token+"\n"), 0o600))
	require.NoError(s.tb, os.Rename(temporary, filepath.Join(s.Folder, "token")))
}

// Down stops the server, closes its connections and refuses new ones until up is called.
func (s *Server) Down() (up func()) {
	address := s.http.Listener.Addr().String()
	s.stop()
	return func() {
		var listener net.Listener
		// A process that was just forked has the old listener open until it executes its program.
		require.Eventually(s.tb, func() bool {
			var err error
			listener, err = net.Listen("tcp", address)
			return err == nil
		}, 2*time.Minute, 5*time.Millisecond)
		s.listen(listener)
	}
}

// Freeze stops the server as SIGSTOP does: connections stay open without responses until Unfreeze.
func (s *Server) Freeze() { s.gate.close() }

// Unfreeze continues a frozen server.
func (s *Server) Unfreeze() { s.gate.open() }

// Inject calls fault for each request to choose its failure. nil ends the injection.
func (s *Server) Inject(fault func(Call) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Deny removes the permission for a verb on an object.
func (s *Server) Deny(verb string, secret cluster.Ref) { s.setDenied(verb, secret, true) }

// Allow restores the permission that Deny removed.
func (s *Server) Allow(verb string, secret cluster.Ref) { s.setDenied(verb, secret, false) }

func (s *Server) setDenied(verb string, secret cluster.Ref, denied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny[verb+" "+secret.Kind.String()+" "+secret.Namespace+"/"+secret.Name] = denied
}

// Calls returns all requests so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call{}, s.calls...)
}

func (s *Server) listen(listener net.Listener) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	_ = server.Listener.Close()
	server.Listener = &gatedListener{Listener: listener, gate: &s.gate}
	server.Config.ErrorLog = noLog
	server.StartTLS()
	s.http = server
}

// listenOnFreePort listens on a port that no other process gets while the server is down: it is below the range of ephemeral
// ports, and no other server of this process uses it.
func listenOnFreePort(tb testing.TB) net.Listener {
	tb.Helper()
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.IntN(20_000)))
		if _, taken := usedPorts.LoadOrStore(address, true); taken {
			continue
		}
		if listener, err := net.Listen("tcp", address); err == nil {
			return listener
		}
	}
	tb.Fatal("no port is free")
	return nil
}

var usedPorts sync.Map

func (s *Server) stop() {
	s.http.CloseClientConnections()
	s.http.Close()
}
