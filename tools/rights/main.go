// Command rights is the oracle of stacks/rights. Each line of stdin is a cluster and a controller as JSON: CRDs, the rules
// of the controller's role, and custom resources of others. For each it prints a line of JSON: why the API server refuses
// CRDs, by its own validation, and the rights of the controller, by the API server's own comparison of rules.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	rbac "k8s.io/component-helpers/auth/rbac/validation"
)

// question is a line of stdin.
type question struct {
	CRDs   []json.RawMessage   `json:"crds"`
	Rules  []rbacv1.PolicyRule `json:"rules"`
	Others []resource          `json:"others"`
}

// resource is a resource of the cluster.
type resource struct {
	Group    string `json:"group"`
	Resource string `json:"resource"`
}

// answer is a line of stdout.
type answer struct {
	// Refused has an entry for each CRD, empty if the API server accepts it.
	Refused []string `json:"refused"`
	// Can are the resources on which the controller has a right, of Kubernetes and of others, and the URLs.
	Can []resource `json:"can"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	crds := runtime.NewScheme()
	apiextensionsinstall.Install(crds)
	decoder := serializer.NewCodecFactory(crds).UniversalDecoder(apiextensions.SchemeGroupVersion, schema.GroupVersion{
		Group: apiextensions.GroupName, Version: runtime.APIVersionInternal,
	})
	builtin := builtins()
	lines := bufio.NewReader(in)
	encoder := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		var a answer
		for _, text := range q.CRDs {
			a.Refused = append(a.Refused, refusal(decoder, text))
		}
		for _, one := range slices.Concat(builtin, q.Others) {
			if can(q.Rules, rbacv1.PolicyRule{APIGroups: []string{one.Group}, Resources: []string{one.Resource}}) {
				a.Can = append(a.Can, one)
			}
		}
		for _, url := range []string{"/healthz", "/logs", "/metrics"} {
			if can(q.Rules, rbacv1.PolicyRule{NonResourceURLs: []string{url}}) {
				a.Can = append(a.Can, resource{Group: "URL", Resource: url})
			}
		}
		if err := encoder.Encode(a); err != nil {
			return err
		}
	}
}

// refusal returns why the API server refuses a CRD.
func refusal(decoder runtime.Decoder, text []byte) string {
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return err.Error()
	}
	crd, isCRD := object.(*apiextensions.CustomResourceDefinition)
	if !isCRD {
		return fmt.Sprintf("%T is no CRD", object)
	}
	problems := validation.ValidateCustomResourceDefinition(context.Background(), crd)
	return strings.ReplaceAll(errorText(problems.ToAggregate()), "\n", " ")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// can reports whether one of the rules allows any of its verbs.
func can(rules []rbacv1.PolicyRule, asked rbacv1.PolicyRule) bool {
	return slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
		asked.Verbs = rule.Verbs[:1]
		covers, _ := rbac.Covers([]rbacv1.PolicyRule{rule}, []rbacv1.PolicyRule{asked})
		return covers
	})
}

// builtins are the resources of Kubernetes: of all its types, those of its aggregated APIs, and subresources.
func builtins() (all []resource) {
	seen := map[resource]bool{}
	add := func(group, name string) {
		if one := (resource{group, name}); !seen[one] {
			seen[one] = true
			all = append(all, one)
		}
	}
	for kind := range scheme.Scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal ||
			strings.HasSuffix(kind.Kind, "List") || strings.HasSuffix(kind.Kind, "Options") {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		for _, name := range []string{plural.Resource, plural.Resource + "/status", plural.Resource + "/scale"} {
			add(plural.Group, name)
		}
	}
	for _, sub := range []string{
		"nodes/proxy", "pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "pods/eviction", "pods/log",
		"pods/ephemeralcontainers",
		"services/proxy", "serviceaccounts/token", "namespaces/finalize", "users", "groups", "nodes/stats",
	} {
		add("", sub)
	}
	add("apiextensions.k8s.io", "customresourcedefinitions")
	add("apiregistration.k8s.io", "apiservices")
	add("metrics.k8s.io", "pods")
	add("authentication.k8s.io", "userextras/scopes")
	add("certificates.k8s.io", "signers")
	add("certificates.k8s.io", "certificatesigningrequests/approval")
	slices.SortFunc(all, func(a, b resource) int { return strings.Compare(a.Group+" "+a.Resource, b.Group+" "+b.Resource) })
	return all
}
