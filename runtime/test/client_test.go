package test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// marker is in every value and must not be in any error, log or message.
const marker = "hunter2-marker"

var db = cluster.Ref{Namespace: "ns", Name: "db"}

// enough is the timeout for expected events. A busy machine takes a hundred times as long as an idle one.
const enough = 2 * time.Minute

var slowdown = time.Duration(measureSlowdown())

// fast has timeouts that are short enough for tests.
var fast = cluster.Timing{
	Connect: slowdown * time.Second, Request: slowdown * 600 * time.Millisecond, Watch: 2 * time.Second, Interval: 4 * time.Millisecond,
	ApplyTimeout: slowdown * time.Second,
}

func connect(t *testing.T, server *Server) *cluster.Client {
	t.Helper()
	return connectWith(t, server, fast)
}

// connectPatiently is for tests that count requests: on a busy machine a fast client would retry.
func connectPatiently(t *testing.T, server *Server) *cluster.Client {
	t.Helper()
	return connectWith(t, server, cluster.Timing{Connect: enough, Request: enough, Watch: enough, Interval: fast.Interval})
}

func connectWith(t *testing.T, server *Server, timing cluster.Timing) *cluster.Client {
	t.Helper()
	config := server.Config()
	config.Timing = timing
	client, err := cluster.New(config)
	require.NoError(t, err)
	return client
}

func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), limit)
	t.Cleanup(stop)
	return ctx
}

func stamp(value string) func(*cluster.Secret) (*cluster.Patch, error) {
	return func(*cluster.Secret) (*cluster.Patch, error) {
		return &cluster.Patch{
			Annotations: map[string]*string{"stamp": &value}, Data: map[string][]byte{"password": []byte(marker)},
		}, nil
	}
}

// atFirst fails the first n calls of the verb.
func atFirst(verb string, n int, fault Fault) func(Call) Fault {
	return func(call Call) Fault {
		if call.Verb != verb || n == 0 {
			return nil
		}
		n--
		return fault
	}
}

func TestNewErrors(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	good := server.Config()
	empty, noToken := t.TempDir(), t.TempDir()
	certificate, err := os.ReadFile(filepath.Join(good.Folder, "ca.crt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(noToken, "ca.crt"), certificate, 0o600))
	notPEM := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(notPEM, "ca.crt"), []byte("junk"), 0o600))
	for _, test := range []struct {
		name   string
		config cluster.Config
		want   string
	}{
		{"no address", cluster.Config{Folder: good.Folder}, "KUBERNETES_SERVICE_HOST"},
		{"no certificate", cluster.Config{Host: "h", Port: "1", Folder: empty}, "ca.crt"},
		{"not a certificate", cluster.Config{Host: "h", Port: "1", Folder: notPEM}, "must contain a PEM certificate"},
		{"no token", cluster.Config{Host: "h", Port: "1", Folder: noToken}, "cannot read the service account token"},
	} {
		_, err := cluster.New(test.config)
		require.ErrorContains(t, err, test.want, test.name)
	}
	_, err = cluster.New(good)
	require.NoError(t, err)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{"team": "a"})
	require.NoError(t, connectPatiently(t, server).Update(within(t, enough), db, stamp("1")))
	stored := server.Get(db)
	assert.Equal(t, map[string]string{"team": "a", "stamp": "1"}, stored.Metadata.Annotations)
	assert.Equal(t, map[string][]byte{"password": []byte(marker)}, stored.Data)
	for _, call := range server.Calls() {
		assert.Equal(t, "patch", call.Verb)
		assert.Equal(t, "fieldManager=resourceplugins", call.Query)
	}
	assert.Len(t, server.Calls(), 2)
}

func TestUpdateRetriesAfterAConflict(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	rounds := 0
	err := connect(t, server).Update(within(t, enough), db, func(s *cluster.Secret) (*cluster.Patch, error) {
		rounds++
		if rounds == 1 {
			server.Apply(db, map[string]string{"other": "1"})
		}
		return stamp(s.Annotation("other") + "seen")(s)
	})
	require.NoError(t, err)
	assert.Equal(t, 2, rounds)
	assert.Equal(t, "1seen", server.Get(db).Annotation("stamp"))
}

func TestUpdateWithoutChangeWritesNothing(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	before := server.Get(db)
	err := connect(t, server).Update(within(t, enough), db, func(*cluster.Secret) (*cluster.Patch, error) {
		return nil, nil
	})
	require.NoError(t, err)
	assert.Equal(t, before, server.Get(db))
}

// Temporary failures are retried.
func TestUpdateRetriesTemporaryFailures(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]Fault{
		"408": Status(408, marker), "409": Status(409, marker), "429": Status(429, marker),
		"500": Status(500, marker), "502": Status(502, marker), "503": Status(503, marker),
		"504": Status(504, marker), "retry after": RetryAfter("0"), "early 403": Status(403, marker),
		"early 404": Status(404, marker), "early 401": Status(401, marker), "cut": Cut,
		"cut after": CutAfter, "cut within": CutWithin(`{"metadata":{"name":"` + marker),
		"garbage": Garbage(marker + "\r\n\r\n"), "not JSON": Body(marker), "hang": Hang(""),
		"slow body": Hang(`{"metadata"`), "late": Late(fast.Request * 4 / 3),
		"wrong type": Body(`{"metadata":"` + marker + `"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Apply(db, nil)
			server.Inject(atFirst("patch", 3, fault))
			require.NoError(t, connect(t, server).Update(within(t, enough), db, stamp("1")))
			assert.Equal(t, "1", server.Get(db).Annotation("stamp"))
		})
	}
}

func TestUpdateFinalFailures(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		400: "Bad Request", 401: "token must be valid", 403: `a Role must grant the Pod's ServiceAccount "patch" on it`,
		404: "must be applied with the Job", 405: "Method Not Allowed", 413: "must fit in one Secret",
		415: "Unsupported", 422: "must fit in one Secret", 302: "Found",
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Apply(db, nil)
			server.Inject(func(Call) Fault { return Status(code, marker) })
			err := connect(t, server).Update(within(t, enough), db, stamp("1"))
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, `patch secret "db" in namespace "ns"`)
			assert.NotContains(t, err.Error(), marker)
			var failure *cluster.Failure
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, code, failure.Code)
		})
	}
}

// Whatever layer fails, errors contain neither sent nor received data.
func TestErrorsContainNoValue(t *testing.T) {
	t.Parallel()
	faults := map[string]Fault{
		"status": Status(500, marker), "garbage": Garbage(marker + "\r\n\r\n"),
		"not JSON": Body(marker), "within": CutWithin(marker), "stream": InStream(500, marker),
		"event": Body(`{"type":"` + marker + `"}`), "type": Body(`{"type":"ADDED","object":"` + marker + `"}`),
		"data": Body(`{"type":"ADDED","object":{"data":{"a":"` + marker + `!"}}}`),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Apply(db, nil)
			server.Inject(func(Call) Fault { return fault })
			client := connect(t, server)
			patched := client.Update(within(t, 60*time.Millisecond), db, stamp("1"))
			if name != "stream" && name != "event" && name != "type" && name != "data" {
				require.ErrorIs(t, patched, context.DeadlineExceeded)
			}
			watched := client.Watch(within(t, 60*time.Millisecond), db, func(s *cluster.Secret) (bool, error) {
				return len(s.Data) > 0, nil
			})
			require.ErrorIs(t, watched, context.DeadlineExceeded)
			for _, err := range []error{patched, watched} {
				if err != nil {
					assert.NotContains(t, err.Error(), strings.Split(marker, "-")[0])
				}
			}
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	server.Inject(atFirst("patch", 1, RetryAfter("1")))
	began := time.Now()
	require.NoError(t, connect(t, server).Update(within(t, enough), db, stamp("1")))
	assert.GreaterOrEqual(t, time.Since(began), time.Second)
}

// A patch that arrives after its timeout must not overwrite a later one.
func TestLatePatchChangesNothing(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	calls := 0
	server.Inject(func(Call) Fault {
		calls++
		if calls == 2 {
			return Late(900 * time.Millisecond)
		}
		return nil
	})
	client := connect(t, server)
	require.NoError(t, client.Update(within(t, enough), db, stamp("1")))
	require.NoError(t, client.Update(within(t, enough), db, stamp("2")))
	undone := func() bool { return server.Get(db).Annotation("stamp") != "2" }
	require.Never(t, undone, 1500*time.Millisecond, 20*time.Millisecond)
}

func TestTokenIsReadForEachRequest(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	client := connectPatiently(t, server)
	require.NoError(t, client.Update(within(t, enough), db, stamp("1")))
	server.RotateToken("token-2")
	calls := len(server.Calls())
	require.NoError(t, client.Update(within(t, enough), db, stamp("2")))
	assert.Len(t, server.Calls(), calls+2)
}

func TestServerCertificateIsVerified(t *testing.T) {
	t.Parallel()
	if _, err := net.LookupHost("localhost"); err != nil {
		checkout.LeaveOut(t, "the machine has no address for localhost, as a chroot without /etc/hosts: %v", err)
	}
	server := newServer(t)
	config := server.Config()
	config.Host, config.Timing = "localhost", fast // not in the certificate
	config.Timing.Connect, config.Timing.Request = enough, enough
	client, err := cluster.New(config)
	require.NoError(t, err)
	err = client.Update(within(t, 15*time.Second), db, stamp("1"))
	require.ErrorContains(t, err, "ca.crt")
	assert.Empty(t, server.Calls())
}

func TestDelete(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, nil)
	client := connect(t, server)
	server.Inject(atFirst("delete", 2, CutAfter))
	require.NoError(t, client.Delete(within(t, enough), db))
	assert.Nil(t, server.Get(db))
	require.NoError(t, client.Delete(within(t, enough), db), "what is gone is as good as removed")
	server.Deny("delete", db)
	require.ErrorContains(t, client.Delete(within(t, enough), db), `grant the Pod's ServiceAccount "delete"`)
}

func TestErrorIsTheCauseOfTheContext(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	cause := errors.New("told to end")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	client := connect(t, server)
	require.ErrorIs(t, client.Update(ctx, db, stamp("1")), cause)
	require.ErrorIs(t, client.Watch(ctx, db, func(*cluster.Secret) (bool, error) { return true, nil }), cause)
}
