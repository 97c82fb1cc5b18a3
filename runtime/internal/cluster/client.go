// Package cluster speaks to the API server about Secrets, and only so far as the helpers' Roles go: a Secret is watched
// by its name, written by a merge patch that also reads it, and removed. Every call outlives what an API server does in
// its life (restarts, overload, cut connections); what no retry mends ends it. No error repeats what the server sent: it
// can hold the Secret's data.
package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config says where the API server is and how to be trusted by it: what every Pod with a projected token is given.
type Config struct {
	// Host and Port are KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
	Host, Port string
	// Folder holds the files token and ca.crt.
	Folder string
	// Timing is how patient the client is. The zero value means the defaults.
	Timing Timing
}

// Client talks to one API server. It may be used by several goroutines.
type Client struct {
	address string
	token   string
	http    *http.Client
	timing  Timing
}

// New reads the certificates in the folder and checks that there is a token; it does not connect.
func New(config Config) (*Client, error) {
	if config.Host == "" || config.Port == "" {
		return nil, errors.New("the API server's address is unknown: the Pod must have KUBERNETES_SERVICE_HOST and " +
			"KUBERNETES_SERVICE_PORT")
	}
	certificates, err := os.ReadFile(filepath.Join(config.Folder, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("the helper must have a projected token and ca.crt: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("%q holds no certificate", filepath.Join(config.Folder, "ca.crt"))
	}
	client := &Client{
		address: "https://" + net.JoinHostPort(config.Host, config.Port),
		token:   filepath.Join(config.Folder, "token"),
		timing:  config.Timing.orDefaults(),
	}
	client.http = &http.Client{Transport: client.transport(pool), CheckRedirect: stay}
	_, err = client.bearer()
	return client, err
}

// transport takes no proxy from the environment: the API server of a Pod is reached directly.
func (c *Client) transport(pool *x509.CertPool) *http.Transport {
	dialer := &net.Dialer{
		Timeout: c.timing.Connect,
		// A node that vanished is noticed within half a minute, not when the kernel gives up.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4},
	}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   c.timing.Connect,
		ResponseHeaderTimeout: c.timing.Request,
		DisableCompression:    true,
		MaxIdleConnsPerHost:   1,
		IdleConnTimeout:       30 * time.Second,
	}
}

// stay follows no redirect, which would carry the token elsewhere.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bearer reads the token anew for each request, since the kubelet renews it.
func (c *Client) bearer() (string, error) {
	token, err := os.ReadFile(c.token)
	if err != nil {
		return "", fmt.Errorf("the helper's token cannot be read: %w", err)
	}
	return strings.TrimSpace(string(token)), nil
}
