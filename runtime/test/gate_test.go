package test

import (
	"io"
	"log"
	"net"
	"sync"
)

// noLog discards the messages of net/http about interrupted handshakes.
var noLog = log.New(io.Discard, "", 0)

// gate blocks callers of pass while it is closed.
type gate struct {
	mu     sync.Mutex
	closed chan struct{}
}

func (g *gate) close() {
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

// gatedListener accepts no connection while the gate is closed. The kernel still completes them, as for a stopped process.
type gatedListener struct {
	net.Listener
	gate *gate
}

func (l *gatedListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	l.gate.pass()
	return connection, err
}
