package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestHelperJobsAskNoWebhook(t *testing.T) {
	t.Parallel()
	type values = map[string]string
	for name, test := range map[string]struct{ of, want values }{
		"nothing":         {nil, nil},
		"without domain":  {values{"team": "data", "inject": "true"}, values{"team": "data", "inject": "true"}},
		"with a domain":   {values{"example.com/team": "data"}, values{"example.com/team": "data"}},
		"switched off":    {values{"sidecar.istio.io/inject": "false", "linkerd.io/inject": "disabled"}, values{"sidecar.istio.io/inject": "false", "linkerd.io/inject": "disabled"}},
		"switched on":     {values{"linkerd.io/inject": "enabled", "azure.workload.identity/use": "true"}, values{}},
		"another value":   {values{"instrumentation.opentelemetry.io/inject-java": "tools/java"}, values{}},
		"the whole agent": {values{"vault.hashicorp.com/agent-inject": "true", "vault.hashicorp.com/role": "db", "a.org/b": "c"}, values{"a.org/b": "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, of := range []*metav1.ObjectMeta{{Annotations: test.of}, {Labels: test.of}} {
				got := withoutRequests(of)
				assert.Equal(t, test.want, map[bool]values{true: got.Annotations, false: got.Labels}[of.Labels == nil])
			}
		})
	}
	got := withoutRequests(&metav1.ObjectMeta{Labels: values{"a.io/inject": "true"}, Annotations: values{"a.io/config": "x"}})
	assert.Empty(t, got.Annotations, "of the same domain")
}
