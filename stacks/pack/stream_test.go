package pack_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/stacks/pack"
)

func TestCheckStream(t *testing.T) {
	t.Parallel()
	object := func(apiVersion, kind string) string {
		return `{apiVersion: ` + apiVersion + `, kind: ` + kind + `, metadata: {name: n}}`
	}
	provider, configuration := object("meta.pkg.crossplane.io/v1", "Provider"), object("meta.pkg.crossplane.io/v1alpha1", "Configuration")
	function := object("meta.pkg.crossplane.io/v1beta1", "Function")
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	old := object("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition")
	xrd, v2 := object("apiextensions.crossplane.io/v1", "CompositeResourceDefinition"),
		object("apiextensions.crossplane.io/v2", "CompositeResourceDefinition")
	composition := object("apiextensions.crossplane.io/v1", "Composition")
	for name, c := range map[string]struct {
		documents []string
		want      []string
	}{
		"provider": {[]string{provider, crd, old, object("apiextensions.crossplane.io/v1alpha1", "ManagedResourceDefinition"),
			object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
			object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration")}, nil},
		"configuration": {[]string{xrd, v2, composition, configuration, object("ops.crossplane.io/v1alpha1", "CronOperation"),
			object("apiextensions.crossplane.io/v1alpha1", "ManagedResourceActivationPolicy")}, nil},
		"function": {[]string{function, crd}, nil},
		"no metadata": {[]string{crd},
			[]string{"must have one document of meta.pkg.crossplane.io/v1 (Provider, Configuration or Function)"}},
		"nothing": {nil,
			[]string{"must have one document of meta.pkg.crossplane.io/v1 (Provider, Configuration or Function)"}},
		"two": {[]string{provider, function},
			[]string{`must be the only metadata of the package: Provider "n" is in package.yaml, too`}},
		"another version": {[]string{object("meta.pkg.crossplane.io/v1beta1", "Provider"), crd},
			[]string{"must be metadata that Crossplane reads, not Provider of meta.pkg.crossplane.io/v1beta1: " +
				"use meta.pkg.crossplane.io/v1 with Provider, Configuration or Function"}},
		"composition of a provider": {[]string{provider, composition},
			[]string{"must not be in the package of a Provider, which takes only CustomResourceDefinition, ManagedResourceDefinition, " +
				"ValidatingWebhookConfiguration, MutatingWebhookConfiguration: remove the Composition of apiextensions.crossplane.io/v1"}},
		"CRD of a configuration, and a Secret": {[]string{configuration, crd, object("v1", "Secret")}, []string{
			"must not be in the package of a Configuration, which takes only CompositeResourceDefinition, Composition, " +
				"ManagedResourceActivationPolicy, Operation, CronOperation, WatchOperation: " +
				"remove the CustomResourceDefinition of apiextensions.k8s.io/v1",
			"must not be in the package of a Configuration, which takes only CompositeResourceDefinition, Composition, " +
				"ManagedResourceActivationPolicy, Operation, CronOperation, WatchOperation: remove the Secret of v1"}},
		"XRD of a function": {[]string{function, xrd},
			[]string{"must not be in the package of a Function, which takes only CustomResourceDefinition: " +
				"remove the CompositeResourceDefinition of apiextensions.crossplane.io/v1"}},
		"webhook of an old version": {[]string{provider, object("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration")},
			[]string{"must not be in the package of a Provider, which takes only CustomResourceDefinition, ManagedResourceDefinition, " +
				"ValidatingWebhookConfiguration, MutatingWebhookConfiguration: " +
				"remove the MutatingWebhookConfiguration of admissionregistration.k8s.io/v1beta1"}},
	} {
		var got []string
		for _, result := range pack.CheckStream("package.yaml", listOf(t, c.documents...).Items()) {
			got = append(got, result.Message)
		}
		assert.Equal(t, c.want, got, name)
	}
}
