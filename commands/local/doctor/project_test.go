package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/doctor"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// The registry is asked without credentials: a cluster may have an image that it refuses.
func TestHelperImage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tag string
		status    int
		want      string
	}{
		{"exists", contract.ImageTag, http.StatusOK, `ok       helper image: the registry has "HOST/x/runtime:` + contract.ImageTag + `"`},
		{"of another version", "v0.0.1", http.StatusOK, `warning  helper image: the registry has "HOST/x/runtime:v0.0.1", ` +
			`and this rplug renders for ` + contract.ImageTag + `; use the helper image and rplug of one version`},
		{"does not exist", contract.ImageTag, http.StatusNotFound, `missing  helper image: the registry does not have "HOST/x/runtime:` +
			contract.ImageTag + `"; push it and set helperImage in rplug.yaml (docs/howto/helper-image.md)`},
		{"is private", contract.ImageTag, http.StatusUnauthorized, `warning  helper image: the registry of "HOST/x/runtime:` + contract.ImageTag +
			`" wants credentials, which are not used here; nodes or imagePullSecrets must have them`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/v2/x/runtime/manifests/"+c.tag, r.URL.Path)
				assert.Empty(t, r.Header.Get("Authorization"))
				w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
				w.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
				w.Header().Set("Content-Length", "2")
				w.WriteHeader(c.status)
			}))
			defer registry.Close()
			host := strings.TrimPrefix(registry.URL, "http://")
			file := &cli.Project{Project: v1alpha1.Project{HelperImage: host + "/x/runtime:" + c.tag}}
			found := doctor.Report{Checks: []doctor.Check{doctor.HelperImage(t.Context(), file)}}
			assert.Equal(t, "project:\n  "+strings.ReplaceAll(c.want, "HOST", host)+"\n", found.Text(report.Style{}))
		})
	}
}
