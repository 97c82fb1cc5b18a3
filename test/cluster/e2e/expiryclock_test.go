//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// The clock of the cluster jumps. It was ahead when sandboxes were applied, and is right again: they do not expire before their time
// comes, and the program prints the reason. It was at zero: a sandbox that was applied then has expired. The only trace
// of a jump is the time of the ConfigMap's creation, so the test writes that into etcd; the clock of the machine is
// also that of other tests.
func TestLifecycleExpiryClusterClock(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.apply(render(t, byCluster, s.database(""),
		expiring("ahead", "2m", ""), expiring("renewed", "2m", "updatedAt"), expiring("zero", "1000h", ""), expiring("right", "1000h", "")))
	created := map[string]time.Time{
		"ahead": time.Now().Add(time.Hour), "renewed": time.Now().Add(time.Hour), "zero": time.Unix(0, 0).Add(time.Second),
	}
	for name, at := range created {
		s.setCreation(contract.DeriveSandboxID("e2e", name), at)
	}
	for _, name := range []string{"ahead", "renewed"} {
		s.expiryPrints(`sandbox "`+name+`"`, "its ttl does not run: it counts from "+created[name].UTC().Format(time.RFC3339)+", which is later than now")
	}
	s.gone(contract.DeriveSandboxID("e2e", "zero"))
	time.Sleep(2*time.Minute + 30*time.Second) // their ttl by a clock that did not jump
	for _, name := range []string{"ahead", "renewed", "right"} {
		assert.Equal(t, map[string]int{"make": 1}, s.runs(name), name)
	}
	for _, name := range []string{"ahead", "renewed"} { // an hour later
		id := contract.DeriveSandboxID("e2e", name)
		s.setCreation(id, time.Now().Add(-time.Hour))
		s.gone(id)
	}
	for _, name := range []string{"zero", "ahead", "renewed"} {
		assert.Equal(t, map[string]int{"make": 1, "drop": 1}, s.runs(name), name)
	}
	assert.Equal(t, map[string]int{"make": 1}, s.runs("right"))
}

// expiryPrints waits until a Pod of the CronJob has printed a line with all texts.
func (s *testNamespace) expiryPrints(texts ...string) {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		pods, err := kubectl("", "get", "pods", "--namespace", s.name, "--output=name")
		if err != nil {
			return "", err
		}
		for name := range strings.FieldsSeq(pods) {
			if !strings.HasPrefix(name, "pod/expiry-") {
				continue
			}
			log, _ := kubectl("", "logs", name, "--namespace", s.name) // it may be gone, or not have started
			for line := range strings.Lines(log) {
				if hasAll(line, texts) {
					return "", nil
				}
			}
		}
		return "a line with " + strings.Join(texts, " and "), nil
	})
}

func hasAll(line string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(line, text) {
			return false
		}
	}
	return true
}

// setCreation changes when the ConfigMap of a sandbox was created, which the API server does not allow.
func (s *testNamespace) setCreation(id string, at time.Time) {
	s.t.Helper()
	name := s.ofSandbox(id, "configmaps", `{.items[?(@.binaryData)].metadata.name}`)
	require.NotEmpty(s.t, name)
	require.NotContains(s.t, name, " ")
	key := []byte("/registry/configmaps/" + s.name + "/" + name)
	var found struct {
		Kvs []struct{ Value []byte }
	}
	s.etcd("range", map[string][]byte{"key": key}, &found)
	require.Len(s.t, found.Kvs, 1)
	scheme := runtime.NewScheme()
	require.NoError(s.t, corev1.AddToScheme(scheme))
	serializer := protobuf.NewSerializer(scheme, scheme)
	var stored corev1.ConfigMap
	_, _, err := serializer.Decode(found.Kvs[0].Value, nil, &stored)
	require.NoError(s.t, err)
	stored.CreationTimestamp = metav1.NewTime(at)
	stored.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	var changed bytes.Buffer
	require.NoError(s.t, serializer.Encode(&stored, &changed))
	s.etcd("put", map[string][]byte{"key": key, "value": changed.Bytes()}, &struct{}{})
	eventually(s.t, func() (string, error) {
		if read := s.ofSandbox(id, "configmaps", "{.items[*].metadata.creationTimestamp}"); read != at.UTC().Format(time.RFC3339) {
			return "the new time, not " + read, nil
		}
		return "", nil
	})
}

// etcd sends a request to the store of the node.
func (s *testNamespace) etcd(request string, body, into any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	address := "http://127.0.0.1:" + cmp.Or(os.Getenv("KRM_NODE_ETCD_PORT"), "12379") + "/v3/kv/" + request
	response, err := http.Post(address, "application/json", bytes.NewReader(text))
	require.NoError(s.t, err)
	defer response.Body.Close()
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	require.NoError(s.t, json.NewDecoder(response.Body).Decode(into))
}
