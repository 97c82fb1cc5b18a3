// Package cluster is a client of the API server that needs only the permissions of a rendered Pod's Roles. For the
// helpers of steps it watches a Secret or a Job by name, reads and writes a Secret with merge patches, and deletes it;
// for the unpacker it applies and removes objects of any kind by name. Calls are retried while the API server restarts,
// is overloaded or drops connections; other errors are final. No error quotes a response to a request for a Secret,
// since that can contain the Secret's data.
//
// It uses only the standard library: client-go would make the helper image and the memory of waiting Pods several times
// as large.
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

// Config is the address of the API server and the credentials that Kubernetes gives a Pod.
type Config struct {
	// Host and Port are KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
	Host, Port string
	// Folder contains the files token and ca.crt.
	Folder string
	// Timing has the client's timeouts. The zero value means the defaults.
	Timing Timing
	// Log is called for an error that Timing.ApplyTimeout limits, once until another one follows. nil means no log.
	Log func(text string)
}

// Client is a client of one API server. It is safe for concurrent use.
type Client struct {
	address string
	token   string
	http    *http.Client
	timing  Timing
	log     func(text string)
}

// New returns a client. It reads ca.crt and checks that a token exists; it does not connect.
func New(config Config) (*Client, error) {
	if config.Host == "" || config.Port == "" {
		return nil, errors.New("environment variables KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set")
	}
	certificates, err := os.ReadFile(filepath.Join(config.Folder, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the CA certificate of the API server: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("%q must contain a PEM certificate", filepath.Join(config.Folder, "ca.crt"))
	}
	client := &Client{
		address: "https://" + net.JoinHostPort(config.Host, config.Port),
		token:   filepath.Join(config.Folder, "token"),
		timing:  config.Timing.orDefaults(),
		log:     config.Log,
	}
	if client.log == nil {
		client.log = func(string) {}
	}
	client.http = &http.Client{Transport: client.transport(pool), CheckRedirect: noRedirect}
	_, err = client.bearerToken()
	return client, err
}

// WithApplyTimeout returns the same client with a Timing.ApplyTimeout that is at least so long.
func (c *Client) WithApplyTimeout(atLeast time.Duration) *Client {
	other := *c
	other.timing.ApplyTimeout = max(c.timing.ApplyTimeout, atLeast)
	return &other
}

// transport ignores proxies of the environment: a Pod reaches its API server directly.
func (c *Client) transport(pool *x509.CertPool) *http.Transport {
	dialer := &net.Dialer{
		Timeout: c.timing.Connect,
		// Detects a lost node within 30 seconds.
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

// noRedirect prevents the token from being sent to another server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bearerToken reads the token for each request, since the kubelet renews it.
func (c *Client) bearerToken() (string, error) {
	token, err := os.ReadFile(c.token)
	if err != nil {
		return "", fmt.Errorf("cannot read the service account token: %w", err)
	}
	return strings.TrimSpace(string(token)), nil
}
