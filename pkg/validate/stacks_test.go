package validate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks"
)

const (
	aStackInstall    = "../../stacks/rules/testdata/stackinstall.yaml"
	aPackageRequest  = "../../stacks/rules/testdata/packagerequest.yaml"
	aStack           = "../../stacks/rules/testdata/stack.yaml"
	aPackageMetadata = "../../stacks/rules/testdata/packagemetadata.yaml"
	aPackageCRD      = "../../stacks/rules/testdata/packagecrd.yaml"
)

// The rules of the feature stacks are tested as those of this package are.
func init() {
	extensions = append(extensions, stacks.Extension().Rules)
	maps.Copy(parts, map[string]string{
		"StackInstall": aStackInstall, "package request": aPackageRequest, "Stack": aStack, "package metadata": aPackageMetadata,
		"CustomResourceDefinition": aPackageCRD,
	})
	around[aStack] = func(t *testing.T) []*yaml.Node {
		t.Helper()
		return append(aroundStack(t), edited(t, aPackageCRD))
	}
	around[aPackageCRD] = func(t *testing.T) []*yaml.Node {
		t.Helper()
		return append(aroundStack(t), edited(t, aStack), edited(t, aPackageCRD))
	}
}

// aroundStack are the package that a stack depends on, and a request.
func aroundStack(t *testing.T) []*yaml.Node {
	t.Helper()
	return []*yaml.Node{
		edited(t, aStack, "metadata.name: cache\n-spec.dependsOn\n-spec.customresourcedefinitions\n-spec.permissions"),
		edited(t, aPackageCRD, "metadata: {name: caches.cache.example.org, annotations: {resourceplugins.dev/package-of: cache}}\n"+
			"spec.group: cache.example.org\nspec.names: {kind: Cache, plural: caches}"),
		edited(t, aStackInstall),
	}
}

func TestValidStacksHaveNoFindings(t *testing.T) {
	t.Parallel()
	assert.Empty(t, check(t, edited(t, aStackInstall), edited(t, aPackageRequest), edited(t, aPackageMetadata)))
	assert.Empty(t, check(t, append(neighbours(t, aPackageCRD), edited(t, aPackageCRD))...))
}

func TestStackFindings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, change string
		want         []string
	}{
		{aStackInstall, "-spec.package", []string{"error request-target spec: must have package or crd"}},
		{aStackInstall, "spec.package: redis", nil},
		{aStackInstall, "spec.package: localhost:5000/redis", nil},
		{aStackInstall, "spec.package: redis:>=0.1 <0.3", nil},
		{aStackInstall, "spec.package: redis:latest", nil},
		{aStackInstall, "spec.package: redis@sha256:" + strings.Repeat("a", 64), nil},
		{aStackInstall, "spec.package: redis:v1@sha256:" + strings.Repeat("a", 64), nil},
		{aStackInstall, "spec.package: redis@sha256:abc", []string{
			`error request-package spec.package: must have after the @ sha256: and 64 hexadecimal digits in lower case, not "sha256:abc"`}},
		{aStackInstall, "spec.package: redis:>1x!", []string{
			`error request-package spec.package: version ">1x!" must be a tag such as v1.0.0, or a range such as ^1.2`}},
		{aStackInstall, "spec.package: Redis:v1", []string{
			"error request-package spec.package: must be an image repository in lower case, such as registry.example.org/acme/redis, " +
				`not "Redis"`}},
		{aStackInstall, "spec.source: registry", []string{
			`error request-source spec.source: must be a registry such as registry.example.org, not "registry"`}},
		{aStackInstall, "spec.source: registry.example.org/acme/", nil},
		{aStackInstall, "-spec.package\nspec.crd: '*.cache.example.org/v1'", nil},
		{aStackInstall, "-spec.package\nspec.crd: redisclusters.cache.example.org", []string{
			"error request-crd spec.crd: must be PLURAL.GROUP/VERSION, such as redisclusters.cache.example.org/v1alpha1, not " +
				`"redisclusters.cache.example.org"`}},
		{aStackInstall, "spec.packagee: a", []string{`error unknown-key spec.packagee: unknown key "packagee": did you mean "package"?`}},

		{aPackageRequest, "spec.package: acme/redis:v1", []string{
			`error request-package spec.package: "acme/redis:v1" must begin with a registry, such as xpkg.crossplane.io/`}},
		{aPackageRequest, "spec.revisionActivationPolicy: manual", []string{
			`error request-policy spec.revisionActivationPolicy: must be one of "Automatic", "Manual", not "manual"`}},
		{aPackageRequest, "kind: Configuration", []string{
			`error unknown-key spec.runtimeConfigRef: unknown key "runtimeConfigRef": must be one of `}},
		{aPackageRequest, "apiVersion: pkg.crossplane.io/v1beta1", []string{
			`warning stack-api-version apiVersion: must be "pkg.crossplane.io/v1" to be read, not "pkg.crossplane.io/v1beta1"`}},

		{aStack, "-spec.permissionScope", []string{
			`error package-scope spec.permissionScope: must be set to "Cluster" or "Namespaced"`}},
		{aStack, "spec.version: 0.3", []string{
			"warning unquoted-string spec.version: the number 0.3 is taken for a string: quote it"}},
		{aStack, "spec.version: 0.3.1", nil},
		{aStack, "spec.dependsOn[0].package: acme/cache", []string{
			"error package-dependency spec.dependsOn[0]: must have exactly one of crd and package"}},
		{aStack, "spec.dependsOn[0]: {crd: rediscluster.cache.example.org}", nil},
		{aStack, "spec.dependsOn[0]: {crd: rediscluster}", []string{
			"error package-dependency spec.dependsOn[0].crd: must be PLURAL.GROUP/VERSION, such as " +
				`redisclusters.cache.example.org/v1alpha1, not "rediscluster"`}},
		{aStack, "spec.controller.deployment.spec.replica: 1", []string{
			`warning controller-deployment spec.controller.deployment.spec.replica: unknown key "replica": did you mean "replicas"?`}},
		{aStack, "-spec.controller", nil},
		{aStack, "-spec.permissions.rules[0].verbs", []string{
			"error package-permission spec.permissions.rules[0]: must have verbs"}},
		{aStack, "spec.permissions.rules[0].nonResourceURLs: [/healthz]", []string{
			`error package-rights spec.permissions.rules[0].nonResourceURLs: must not be set, to "/healthz"`,
			"error package-permission spec.permissions.rules[0]: must have either apiGroups and resources or nonResourceURLs"}},
		{aStack, "spec.behavior.source.path: ./", []string{
			`error behavior-source spec.behavior.source.path: must be a folder of the image, not "./"`}},
		{aStack, "spec.behavior.engine.type: helm3", nil},

		{aPackageMetadata, "spec.dependsOn[0].provider: registry.example.org/a/b", []string{
			"error package-dependency spec.dependsOn[0]: must have exactly one of package, provider, configuration and function"}},
		{aPackageMetadata, "-spec.dependsOn[0].kind", []string{
			"error package-dependency spec.dependsOn[0]: must have apiVersion, kind and package together, or one of provider, " +
				"configuration and function"}},
		{aPackageMetadata, "spec.dependsOn[1].function: registry.example.org/acme/function-auto:v1", []string{
			"error package-dependency spec.dependsOn[1].function: must be an image without tag and digest, not " +
				`"registry.example.org/acme/function-auto:v1": the version has its own key`}},
		{aPackageMetadata, "spec.dependsOn[0].version: sha256:" + strings.Repeat("b", 64), nil},
		{aPackageMetadata, "spec.dependsOn[0].version: latest", []string{
			"error dependency-version spec.dependsOn[0].version: must be a version range such as `>=1.2 <2`, not \"latest\""}},
		{aPackageMetadata, "spec.dependsOn[0].version: 1.2", []string{
			"warning unquoted-string spec.dependsOn[0].version: the number 1.2 is taken for a string: quote it"}},
	} {
		got := check(t, edited(t, test.file, test.change))
		if assert.Len(t, got, len(test.want), "%s: %s: %q", test.file, test.change, got) {
			for i, want := range test.want {
				assert.True(t, strings.HasPrefix(got[i], want), "%s\nwant %s\ngot  %s", test.change, want, got[i])
			}
		}
	}
}

// A misspelled key is found at its place, and nothing else is.
func TestMisspelledKeysOfStacks(t *testing.T) {
	t.Parallel()
	for _, file := range parts {
		if file == aPackageCRD {
			continue // the rules read only some of its fields
		}
		eachKey(t, file, false, func(path krm.Path, root, mapping *yaml.Node, at int) {
			if slices.ContainsFunc([]string{"Labels.", ".annotations."}, func(own string) bool {
				return strings.Contains(string(path), own)
			}) {
				return // keys that users make up
			}
			key := mapping.Content[at].Value + "x"
			mapping.Content[at].SetString(key)
			got := check(t, root)
			if assert.NotEmpty(t, got, path) {
				last := got[len(got)-1] // behind a finding that the key itself is missing
				assert.Contains(t, last, " "+string(parent(path).Key(key))+": unknown key ", "%q", got)
				assert.LessOrEqual(t, len(got), 2, "%q", got)
			}
		})
	}
}
