// Command health prints the health of objects according to the tools that deliver them: Argo CD, Flux and kpt, with their
// own code and without a cluster. It reads an Input as JSON on stdin, and prints a State for each object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// Input holds objects, and the users' configuration of the tools.
type Input struct {
	// Health are scripts in Lua by GROUP/KIND, as in `resource.customizations.health.GROUP_KIND` of argocd-cm.
	Health map[string]string `json:"health"`
	// HealthCheckExprs is the field of a Flux Kustomization.
	HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
	Objects          []Object                      `json:"objects"`
}

// Object is an object in a cluster, with the applied object if it matters.
type Object struct {
	Live     map[string]any `json:"live"`
	Rendered map[string]any `json:"rendered,omitempty"`
}

// State is the health of an object in each tool; empty if the tool has no check for it.
type State struct {
	ArgoCD string `json:"argocd"`
	Flux   string `json:"flux"`
	Kpt    string `json:"kpt"`
	// OutOfSync means that for Argo CD the object in the cluster differs from the applied one.
	OutOfSync bool `json:"outOfSync"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(stdin io.Reader, stdout io.Writer) error {
	text, err := io.ReadAll(stdin)
	if err != nil {
		return err
	}
	var input Input
	if err := utiljson.Unmarshal(text, &input); err != nil { // keeps integers, as clients do
		return err
	}
	states := make([]State, len(input.Objects))
	for i := range input.Objects {
		if err := input.read(&states[i], &input.Objects[i]); err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
	}
	return json.NewEncoder(stdout).Encode(states)
}

func (in *Input) read(s *State, object *Object) error {
	live := &unstructured.Unstructured{Object: object.Live}
	overrides := map[string]v1alpha1.ResourceOverride{}
	for key, script := range in.Health {
		overrides[key] = v1alpha1.ResourceOverride{HealthLua: script}
	}
	inArgoCD, err := health.GetResourceHealth(live, lua.ResourceHealthOverrides(overrides))
	if err != nil {
		return err
	}
	if inArgoCD != nil {
		s.ArgoCD = string(inArgoCD.Status)
	}
	inKpt, err := status.Compute(live)
	if err != nil {
		return err
	}
	s.Kpt = string(inKpt.Status)
	if s.Flux, err = in.flux(live); err != nil || object.Rendered == nil {
		return err
	}
	settings, err := diff.NewDiffConfigBuilder().
		WithDiffSettings(nil, overrides, false, normalizers.IgnoreNormalizerOpts{}).
		WithTracking("app.kubernetes.io/instance", string(v1alpha1.TrackingMethodAnnotation)).WithNoCache().Build()
	if err != nil {
		return err
	}
	found, err := diff.StateDiff(live, &unstructured.Unstructured{Object: object.Rendered}, settings)
	s.OutOfSync = found.Modified
	return err
}

// flux evaluates the expressions. If one cannot be evaluated, the state is unknown, and Flux tries again.
func (in *Input) flux(live *unstructured.Unstructured) (string, error) {
	for i := range in.HealthCheckExprs {
		check := &in.HealthCheckExprs[i]
		if check.APIVersion != live.GetAPIVersion() || check.Kind != live.GetKind() {
			continue
		}
		evaluator, err := cel.NewStatusEvaluator(&check.HealthCheckExpressions)
		if err != nil {
			return "", err
		}
		result, err := evaluator.Evaluate(context.Background(), live)
		if err != nil {
			return string(status.UnknownStatus), nil //nolint:nilerr // as its status reader does
		}
		return string(result.Status), nil
	}
	return "", nil
}
