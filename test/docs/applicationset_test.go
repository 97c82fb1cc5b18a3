package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// applicationSet returns the file that users copy.
func applicationSet(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "pull-requests", "argocd", "applicationset.yaml"))
	require.NoError(t, err)
	return text
}

// Its Applications have the names of the script's environments, and a finalizer, without which no delete phase runs.
func TestApplicationSet_namesTheEnvironments(t *testing.T) {
	t.Parallel()
	var set struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
		Spec             struct {
			GoTemplate        bool
			GoTemplateOptions []string
			Generators        []map[string]any
			Template          struct {
				Metadata struct {
					Name       string
					Finalizers []string
				}
				Spec struct {
					Project     string
					Source      struct{ RepoURL, TargetRevision, Path string }
					Destination struct{ Server, Namespace string }
					SyncPolicy  struct {
						Automated   struct{ Prune, SelfHeal bool }
						SyncOptions []string
					}
				}
			}
		}
	}
	require.NoError(t, yaml.UnmarshalStrict(applicationSet(t), &set))
	script, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "pull-requests", "preview"))
	require.NoError(t, err)
	_, prefix, _ := strings.Cut(string(script), "\nprefix=")
	prefix, _, _ = strings.Cut(prefix, " ")
	name, template := prefix+"{{.number}}", set.Spec.Template
	assert.True(t, set.Spec.GoTemplate)
	assert.Equal(t, []string{name, name, name}, []string{template.Metadata.Name, template.Spec.Source.Path, template.Spec.Destination.Namespace})
	assert.Equal(t, []string{"resources-finalizer.argocd.argoproj.io"}, template.Metadata.Finalizers)
	assert.NotContains(t, template.Spec.Source.TargetRevision, "{{", "the branch of a pull request is deleted before its delete phase is read")
}

// It has fields of the CustomResourceDefinition of Argo CD only.
func TestApplicationSet_isValid(t *testing.T) {
	t.Parallel()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/argoproj/argo-cd/v3")
	download.Dir = filepath.Join(checkout.Root(), "tools", "delivery")
	download.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	out, err := download.Output()
	if err != nil {
		checkout.LeaveOut(t, "the source of Argo CD is not in the module cache: run make controllers")
	}
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	text, err := os.ReadFile(filepath.Join(module.Dir, "manifests", "crds", "applicationset-crd.yaml"))
	require.NoError(t, err)
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &definition))
	require.Len(t, definition.Spec.Versions, 1)
	schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	closeObjects(schema)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("applicationset.json", schema))
	compiled, err := compiler.Compile("applicationset.json")
	require.NoError(t, err)

	validate := func(text string) error {
		var set any
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &set))
		return compiled.Validate(set)
	}
	require.NoError(t, validate(string(applicationSet(t))))
	for field, wrong := range map[string]string{"tokenRef": "tokenRefs", "selfHeal: true": "selfHeal: 1", "goTemplate:": "goTemplates:"} {
		changed := strings.Replace(string(applicationSet(t)), field, wrong, 1)
		require.NotEqual(t, changed, string(applicationSet(t)))
		assert.Error(t, validate(changed), wrong)
	}
}

// closeObjects refuses the fields that the API server would drop.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		_, hasProperties := s["properties"].(map[string]any)
		if _, isMap := s["additionalProperties"]; hasProperties && !isMap && s["x-kubernetes-preserve-unknown-fields"] != true {
			s["additionalProperties"] = false
		}
		for _, value := range s {
			closeObjects(value)
		}
	case []any:
		for _, value := range s {
			closeObjects(value)
		}
	}
}
