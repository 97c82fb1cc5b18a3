package oci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// TargetOptions are options of a reference.
type TargetOptions struct {
	// Layout means that the reference is a folder in OCI layout, DIR:TAG or DIR@DIGEST.
	Layout bool
	// PlainHTTP connects to any registry without encryption. By default only connections to the loopback interface are
	// not encrypted.
	PlainHTTP bool
	// DockerConfig is the file with the credentials of registries. It need not exist.
	DockerConfig string
	// StallTimeout limits the time without progress of a transfer; zero means a minute.
	StallTimeout time.Duration
}

// OpenSource opens a repository or a folder for reading, and returns the tag or the digest of the reference. A folder
// stays open until the process ends: the store reads from it.
func OpenSource(ctx context.Context, reference string, o TargetOptions) (oras.ReadOnlyTarget, string, error) {
	if !o.Layout {
		return repository(reference, o)
	}
	folder, tag, err := split(reference)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", err
	}
	store, err := oci.NewFromFS(ctx, root.FS())
	return store, tag, err
}

// Target is a repository or a folder to write to. No other command writes to a folder until it is closed.
type Target interface {
	oras.Target
	io.Closer
}

// OpenTarget opens a repository or a folder for writing, and returns the tag. It creates a folder that does not exist.
func OpenTarget(ctx context.Context, reference string, o TargetOptions) (Target, string, error) {
	if !o.Layout {
		repo, tag, err := repository(reference, o)
		return unlocked{repo}, tag, err
	}
	folder, tag, err := split(reference)
	if err != nil {
		return nil, "", err
	}
	store, err := openLayout(ctx, folder)
	return store, tag, err
}

// unlocked is a repository: registries have no locks.
type unlocked struct{ *remote.Repository }

// Close does nothing.
func (unlocked) Close() error { return nil }

// maxIndex is the largest index of a folder that is read, in bytes.
const maxIndex = 4 << 20

// split splits DIR:TAG and DIR@DIGEST. The index of a folder that exists must not be too large.
func split(reference string) (folder, tag string, err error) {
	folder, tag, isDigest := strings.Cut(reference, "@")
	if at := strings.LastIndex(reference, ":"); !isDigest && at > 0 {
		folder, tag = reference[:at], reference[at+1:]
	}
	valid := (&registry.Reference{Reference: tag}).ValidateReferenceAsTag
	if isDigest {
		valid = (&registry.Reference{Reference: tag}).ValidateReferenceAsDigest
	}
	if folder == "" || valid() != nil {
		return "", "", fmt.Errorf("%q must be DIR:TAG or DIR@DIGEST", reference)
	}
	if info, err := os.Stat(filepath.Join(folder, "index.json")); err == nil && info.Size() > maxIndex {
		return "", "", fmt.Errorf("index.json must have at most %d bytes, not %d", maxIndex, info.Size())
	}
	return folder, tag, nil
}

// repository opens HOST/NAME:TAG or HOST/NAME@DIGEST.
func repository(reference string, o TargetOptions) (*remote.Repository, string, error) {
	parsed, err := registry.ParseReference(strings.TrimPrefix(reference, "oci://"))
	if err != nil || parsed.Reference == "" {
		return nil, "", fmt.Errorf("%q must be REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST", reference)
	}
	store, err := credentials.NewFileStore(o.DockerConfig)
	if err != nil {
		return nil, "", fmt.Errorf("docker's configuration must be readable: %w", err)
	}
	repo := &remote.Repository{Reference: parsed, PlainHTTP: o.PlainHTTP || isLoopback(parsed.Host())}
	repo.Client = &auth.Client{
		Client: &http.Client{Transport: retry.NewTransport(transport(o.StallTimeout)), CheckRedirect: stayEncrypted},
		Cache:  auth.NewCache(), Credential: credentials.Credential(store),
	}
	return repo, parsed.Reference, nil
}

// Explain explains an error of a reference, given its tag or digest: it does not exist, or its registry cannot be
// reached.
func Explain(err error, reference, tag string) error {
	name := strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(reference, "oci://"), tag), ":@")
	var unreachable *url.Error
	switch {
	case errors.Is(err, errdef.ErrNotFound) && strings.Contains(tag, ":"):
		return fmt.Errorf("%s has no digest %q", name, tag)
	case errors.Is(err, errdef.ErrNotFound):
		return fmt.Errorf("%s has no tag %q", name, tag)
	case errors.As(err, &unreachable):
		host, _, _ := strings.Cut(name, "/")
		return fmt.Errorf("cannot reach %s: %w", host, cause(unreachable.Err))
	}
	return err
}

// cause returns the reason of a failed connection, without the addresses that were tried.
func cause(err error) error {
	var name *net.DNSError
	var number syscall.Errno
	switch {
	case errors.As(err, &name):
		return errors.New(name.Err)
	case errors.As(err, &number):
		return number
	}
	return err
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// responseTimeout limits the time until a registry's response begins.
const responseTimeout = 30 * time.Second

func transport(stallTimeout time.Duration) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = responseTimeout
	return progressTransport{t, cmp.Or(stallTimeout, defaultStallTimeout)}
}

// stayEncrypted rejects redirects from an encrypted connection to one that is not encrypted.
func stayEncrypted(next *http.Request, before []*http.Request) error {
	if len(before) >= 10 {
		return errors.New("registry must not redirect more than 10 times")
	}
	if next.URL.Scheme != "https" && before[0].URL.Scheme == "https" {
		return fmt.Errorf("registry must not redirect to %q, which is not encrypted", next.URL.Host)
	}
	return nil
}
