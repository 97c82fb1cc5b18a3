package pack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// groupKind identifies the kind of a document.
type groupKind struct{ group, version, kind string }

func (k groupKind) matches(item *krm.Item) bool {
	group, version, _ := strings.Cut(item.APIVersion(), "/")
	return k.group == group && k.version == version && k.kind == item.Kind()
}

const (
	webhookGroup = "admissionregistration.k8s.io"
	opsGroup     = "ops.crossplane.io"
)

// metadataKinds are the kinds of metadata in the versions that Crossplane reads:
// https://github.com/crossplane/crossplane/tree/v2.3.0/apis/pkg/meta
var metadataKinds = []groupKind{
	{stacksv1.MetaGroupName, "v1", stacksv1.KindProvider},
	{stacksv1.MetaGroupName, "v1alpha1", stacksv1.KindProvider},
	{stacksv1.MetaGroupName, "v1", stacksv1.KindConfiguration},
	{stacksv1.MetaGroupName, "v1alpha1", stacksv1.KindConfiguration},
	{stacksv1.MetaGroupName, "v1", stacksv1.KindFunction},
	{stacksv1.MetaGroupName, "v1beta1", stacksv1.KindFunction},
}

// contentKinds are the kinds that are allowed beside the metadata in package.yaml, by the kind of the package:
// https://github.com/crossplane/crossplane-runtime/blob/v2.3.0/pkg/xpkg/lint.go
var contentKinds = map[string][]groupKind{
	stacksv1.KindProvider: {
		{registry.CRDGroup, "v1", registry.CRDKind},
		{registry.CRDGroup, "v1beta1", registry.CRDKind},
		{xrdGroup, "v1alpha1", mrdKind},
		{webhookGroup, "v1", "ValidatingWebhookConfiguration"},
		{webhookGroup, "v1", "MutatingWebhookConfiguration"},
	},
	stacksv1.KindConfiguration: {
		{xrdGroup, "v1", xrdKind},
		{xrdGroup, "v2", xrdKind},
		{xrdGroup, "v1", "Composition"},
		{xrdGroup, "v1alpha1", "ManagedResourceActivationPolicy"},
		{opsGroup, "v1alpha1", "Operation"},
		{opsGroup, "v1alpha1", "CronOperation"},
		{opsGroup, "v1alpha1", "WatchOperation"},
	},
	stacksv1.KindFunction: {
		{registry.CRDGroup, "v1", registry.CRDKind},
		{registry.CRDGroup, "v1beta1", registry.CRDKind},
	},
}

// CheckStream checks the documents of a package.yaml as Crossplane does: exactly one must be metadata, and the others must
// be of kinds that are allowed in such a package. A result about missing metadata refers to file.
func CheckStream(file string, items []*krm.Item) krm.Results {
	var metadata *krm.Item
	var results krm.Results
	for _, item := range items {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		switch {
		case group != stacksv1.MetaGroupName:
		case !isOneOf(item, metadataKinds):
			results = append(results, krm.At(item, "kind", krm.Error, fmt.Sprintf(
				"must be metadata that Crossplane reads, not %s of %s: use %s with Provider, Configuration or Function",
				item.Kind(), item.APIVersion(), stacksv1.MetaAPIVersion)))
		case metadata != nil:
			results = append(results, krm.At(item, "", krm.Error, fmt.Sprintf(
				"must be the only metadata of the package: %s %q is in %s, too", metadata.Kind(), metadata.Name(), StreamFile)))
		default:
			metadata = item
		}
	}
	if metadata == nil {
		if len(results) == 0 {
			missing := krm.NewResult(krm.Error, fmt.Sprintf(
				"must have one document of %s (Provider, Configuration or Function)", stacksv1.MetaAPIVersion))
			missing.Place.File = file
			return krm.Results{missing}
		}
		return results
	}
	allowed := contentKinds[metadata.Kind()]
	for _, item := range items {
		if group, _, _ := strings.Cut(item.APIVersion(), "/"); group != stacksv1.MetaGroupName && !isOneOf(item, allowed) {
			results = append(results, krm.At(item, "kind", krm.Error, fmt.Sprintf(
				"must not be in the package of a %s, which takes only %s: remove the %s of %s",
				metadata.Kind(), listed(allowed), item.Kind(), item.APIVersion())))
		}
	}
	return results
}

func isOneOf(item *krm.Item, kinds []groupKind) bool {
	return slices.ContainsFunc(kinds, func(k groupKind) bool { return k.matches(item) })
}

// listed returns the names of kinds without duplicates.
func listed(kinds []groupKind) string {
	var names []string
	for _, k := range kinds {
		if !slices.Contains(names, k.kind) {
			names = append(names, k.kind)
		}
	}
	return strings.Join(names, ", ")
}
