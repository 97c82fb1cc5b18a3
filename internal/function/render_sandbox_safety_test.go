package function

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// world has the Pods, and the selectors of Pods.
type world struct {
	selectors map[string]labels.Selector
	pods      map[string]labels.Set
}

func (w *world) read(t *testing.T, documents string) {
	t.Helper()
	w.selectors, w.pods = map[string]labels.Selector{}, map[string]labels.Set{}
	for document := range strings.SplitSeq(documents, "\n---\n") {
		var object metav1.PartialObjectMetadata
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		name := object.Kind + " " + object.Name
		add := func(s *metav1.LabelSelector) {
			selector, err := metav1.LabelSelectorAsSelector(s)
			require.NoError(t, err)
			w.selectors[name] = selector
		}
		switch object.Kind {
		case "Deployment", "Rollout":
			var typed struct {
				Spec struct {
					Selector *metav1.LabelSelector
					Template corev1.PodTemplateSpec
				}
			}
			require.NoError(t, yaml.Unmarshal([]byte(document), &typed))
			add(typed.Spec.Selector)
			w.pods[name] = typed.Spec.Template.Labels
			require.True(t, w.selectors[name].Matches(w.pods[name]), "%s must select its own Pods", name)
		case "Service":
			var typed corev1.Service
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &typed))
			w.selectors[name] = labels.SelectorFromSet(typed.Spec.Selector)
		case "PodDisruptionBudget":
			var typed policyv1.PodDisruptionBudget
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &typed))
			add(typed.Spec.Selector)
		case "NetworkPolicy":
			var typed networkingv1.NetworkPolicy
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &typed))
			add(&typed.Spec.PodSelector)
		}
	}
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

// randomBaseline returns workloads, and objects that select their Pods by equality and by expressions.
func randomBaseline(random *rand.Rand) []string {
	var docs []string
	doc := func(format string, args ...any) { docs = append(docs, strings.TrimSpace(fmt.Sprintf(format, args...))) }
	for i := range 3 {
		kind := pick(random, "apps/v1\nkind: Deployment", "apps/v1\nkind: Deployment", "argoproj.io/v1alpha1\nkind: Rollout")
		doc("apiVersion: %s\nmetadata: {name: w%d, namespace: ns}\nspec:\n"+
			"  selector: {matchLabels: {app: w%d}}\n  template:\n    metadata: {labels: {app: w%d, tier: %s, track: %s}}\n"+
			"    spec: {containers: [{name: c, image: i}]}", kind, i, i, i, pick(random, "a", "b"), pick(random, "x", "w"))
		doc("apiVersion: v1\nkind: Service\nmetadata: {name: s%d, namespace: ns}\nspec: {selector: {%s}, ports: [{port: 80}]}", i,
			pick(random, fmt.Sprintf("app: w%d", i), "tier: a", "track: x", fmt.Sprintf("app: w%d, tier: b", i)))
	}
	for i := range random.IntN(4) {
		expression := pick(random, "{key: tier, operator: NotIn, values: [a]}", "{key: tier, operator: In, values: [a, b]}",
			"{key: track, operator: Exists}", "{key: canary, operator: DoesNotExist}", "{key: app, operator: NotIn, values: [w0, w1]}",
			"{key: resourceplugins.dev/fork, operator: DoesNotExist}")
		if random.IntN(2) == 0 {
			doc("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p%d, namespace: ns}\n"+
				"spec: {selector: {matchExpressions: [%s]}}", i, expression)
		} else {
			doc("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p%d, namespace: ns}\n"+
				"spec: {podSelector: {matchExpressions: [%s]}}", i, expression)
		}
	}
	return docs
}

// randomSandboxes returns sandboxes that fork the workloads, some with a patch that would put the baseline's labels back.
func randomSandboxes(random *rand.Rand, baseline []string) []string {
	var docs []string
	for i := range 2 {
		text := fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: sb%d}\nspec:\n  cluster: c\n  forks:\n", i)
		for w := range 1 + random.IntN(3) {
			kind := "Deployment"
			if strings.Contains(strings.Join(baseline, "\n"), fmt.Sprintf("kind: Rollout\nmetadata: {name: w%d,", w)) {
				kind = pick(random, "Rollout", "ArgoRollout")
			}
			text += fmt.Sprintf("  - forkOf: {kind: %s, namespace: ns, name: w%d}\n", kind, w)
			if random.IntN(2) == 0 {
				text += fmt.Sprintf("    customizations: {patch: {type: merge, value: \"spec: {template: {metadata: {labels: "+
					"{app: w%d, tier: a, canary: z, resourceplugins.dev/fork: stolen}}}}\"}}\n", w)
			}
		}
		docs = append(docs, strings.TrimSpace(text))
	}
	return docs
}

// No selector of a baseline takes a fork's Pods, no selector of a fork takes a baseline's, and none of a fork takes another
// fork's. Where no labels can do that for a Service or a workload nothing is rendered; a PodDisruptionBudget or a
// NetworkPolicy is reported.
func TestSelectorsStayApart(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	rendered := 0
	for range 150 {
		baseline := randomBaseline(random)
		base := strings.Join(baseline, "\n---\n")
		input := base + "\n---\n" + strings.Join(randomSandboxes(random, baseline), "\n---\n")
		stdout, stderr, code := command(t, []byte(input), "--verbose", "-")
		if code != 0 {
			require.Contains(t, stderr, "must not select the Pods of forks", input)
			continue
		}
		rendered++
		var before, after world
		before.read(t, base)
		after.read(t, base+"\n---\n"+strings.TrimSuffix(stdout, "\n"))
		for name, selector := range after.selectors {
			for pod, labels := range after.pods {
				if after.mayTake(name, pod, &before) || !selector.Matches(labels) {
					continue
				}
				require.True(t, reported(stderr, name), "%s takes %s %v\n%s", name, pod, labels, input)
			}
		}
	}
	require.Greater(t, rendered, 50)
}

// mayTake reports whether a selector is there to take a Pod, or both were there before.
func (w *world) mayTake(name, pod string, before *world) bool {
	_, isBaseline := before.selectors[name]
	_, ofBaseline := before.pods[pod]
	if isBaseline || ofBaseline {
		return isBaseline && ofBaseline
	}
	_, fork, _ := strings.Cut(pod, " ")
	return name == pod || strings.HasPrefix(name, "Service ") && w.selectors[name].Matches(labels.Set{"resourceplugins.dev/fork": fork})
}

// reported reports whether a PodDisruptionBudget or a NetworkPolicy is said to hold for forks too.
func reported(stderr, name string) bool {
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, strings.Replace(name, " ", "/", 1)+" spec.") && strings.Contains(line, "the Pods of forks too") {
			return true
		}
	}
	return false
}
