package fakeapi

import (
	"io"
	"log"
	"net"
	"sync"
)

// quiet swallows what net/http logs about cut handshakes.
var quiet = log.New(io.Discard, "", 0)

// gate holds callers back while it is shut.
type gate struct {
	mu     sync.Mutex
	closed chan struct{}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

func (g *gate) pass() {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed != nil {
		<-closed
	}
}

// gatedListener accepts nothing while the gate is shut; the kernel takes connections all the same, as it does for a
// stopped process.
type gatedListener struct {
	net.Listener
	gate *gate
}

func (l *gatedListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	l.gate.pass()
	return connection, err
}
