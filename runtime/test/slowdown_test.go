package test

import (
	"net/http"
	"net/http/httptest"
	"time"
)

const (
	usual       = 15 * time.Millisecond // time of a first request over TLS on an idle machine
	maxSlowdown = 12
)

// measureSlowdown returns how many times longer a request currently takes than on an idle machine: 1 to 12. A client whose
// timeout is shorter than its TLS handshake would retry forever.
func measureSlowdown() int {
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
	return int(min(1+longest/usual, maxSlowdown))
}
