package fakeapi

import (
	"net/http"
	"net/http/httptest"
	"time"
)

// What a first request over TLS takes on a quiet machine, with room, and how many times longer a starved one may take
// before its tests are no longer worth waiting for.
const (
	usual   = 15 * time.Millisecond
	slowest = 12
)

// Pace tells how many times longer than on a quiet machine a request may take on this one just now: 1 to 12. A limit for
// one request that is shorter than its TLS handshake makes a client try for ever.
func Pace() int {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	longest := time.Duration(0)
	for range 3 {
		began := time.Now()
		if response, err := server.Client().Get(server.URL); err == nil {
			_ = response.Body.Close()
		}
		server.Client().CloseIdleConnections()
		longest = max(longest, time.Since(began))
	}
	return int(min(1+longest/usual, slowest))
}
