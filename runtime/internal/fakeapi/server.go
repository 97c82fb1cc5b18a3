// Package fakeapi is an API server for tests: Secrets in memory behind TLS, a bearer token and Roles, answering watch,
// merge patch and delete as the real one does, and failing on demand as the real one does.
package fakeapi

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

// Server is one API server. Its Secrets outlive its restarts.
type Server struct {
	// Folder holds the token and the certificate, as a Pod's projected volume does.
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
}

// Call is one request as the server understood it.
type Call struct {
	Verb   string // watch, patch, delete
	Secret cluster.Ref
	Query  string
	Agent  string
	Number int // of all calls, from 1
}

// New starts a server that ends with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, Folder: tb.TempDir(), state: newState(), deny: map[string]bool{}}
	s.Rotate("token-1")
	s.listen(reserve(tb))
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
	require.NoError(tb, os.WriteFile(filepath.Join(s.Folder, "ca.crt"), certificate, 0o600))
	tb.Cleanup(func() {
		s.Thaw()
		s.stop()
	})
	return s
}

// Address is the host and port that the server keeps for its life.
func (s *Server) Address() (host, port string) {
	host, port, err := net.SplitHostPort(s.http.Listener.Addr().String())
	require.NoError(s.tb, err)
	return host, port
}

// Config is how a client reaches the server.
func (s *Server) Config() cluster.Config {
	host, port := s.Address()
	return cluster.Config{Host: host, Port: port, Folder: s.Folder}
}

// Rotate replaces the token, in the file and in what is accepted.
func (s *Server) Rotate(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
	fresh := filepath.Join(s.Folder, "token.new")
	require.NoError(s.tb, os.WriteFile(fresh, []byte(token+"\n"), 0o600))
	require.NoError(s.tb, os.Rename(fresh, filepath.Join(s.Folder, "token")))
}

// Down stops the server: connections are cut, new ones refused, until up is called.
func (s *Server) Down() (up func()) {
	address := s.http.Listener.Addr().String()
	s.stop()
	return func() {
		var listener net.Listener
		// A process that was forked a moment ago holds the old listener until it executes its program.
		require.Eventually(s.tb, func() bool {
			var err error
			listener, err = net.Listen("tcp", address)
			return err == nil
		}, 2*time.Minute, 5*time.Millisecond)
		s.listen(listener)
	}
}

// Freeze stops the server as SIGSTOP does: connections stay open and nothing is answered until Thaw.
func (s *Server) Freeze() { s.gate.shut() }

// Thaw lets a frozen server go on where it was.
func (s *Server) Thaw() { s.gate.open() }

// Inject asks fault, for each call, how to fail it. nil ends that.
func (s *Server) Inject(fault func(Call) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Deny takes the right to a verb on a Secret away; Allow gives it back.
func (s *Server) Deny(verb string, secret cluster.Ref) { s.role(verb, secret, true) }

// Allow gives back what Deny took.
func (s *Server) Allow(verb string, secret cluster.Ref) { s.role(verb, secret, false) }

func (s *Server) role(verb string, secret cluster.Ref, denied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny[verb+" "+secret.Namespace+"/"+secret.Name] = denied
}

// Calls are all requests so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call{}, s.calls...)
}

func (s *Server) listen(listener net.Listener) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	_ = server.Listener.Close()
	server.Listener = &gatedListener{Listener: listener, gate: &s.gate}
	server.Config.ErrorLog = quiet
	server.StartTLS()
	s.http = server
}

// reserve finds a port that the kernel gives to nobody else while the server is down: one below the range for outgoing
// connections, and not that of another server of this process.
func reserve(tb testing.TB) net.Listener {
	tb.Helper()
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.IntN(20_000)))
		if _, taken := reserved.LoadOrStore(address, true); taken {
			continue
		}
		if listener, err := net.Listen("tcp", address); err == nil {
			return listener
		}
	}
	tb.Fatal("no port is free")
	return nil
}

var reserved sync.Map

func (s *Server) stop() {
	s.http.CloseClientConnections()
	s.http.Close()
}
