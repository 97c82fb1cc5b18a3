// Package rules has the rules about requests for Crossplane's stacks and packages, and about their metadata and CRDs:
//
//	report, err := validate.Check(list, validate.Options{Extensions: []validate.Extension{rules.Extension()}})
package rules

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// rule is a rule with its checks, each of one kind of documents.
type rule struct {
	validate.Rule
	install  func(*validate.Rule, *stackRequest)
	request  func(*validate.Rule, *packageRequest)
	record   func(*validate.Rule, *stackRecord)
	metadata func(*validate.Rule, *packageMetadata)
	crd      func(*validate.Rule, *packageCRD)
	// list looks at all documents of a list.
	list func(*validate.Rule, *documents)
}

// The names of the kinds of documents that checks are about.
const (
	installKind  = "StackInstall"
	requestKind  = "package request"
	recordKind   = "Stack"
	metadataKind = "package metadata"
	crdKind      = "CustomResourceDefinition"
)

// The pages that rules come from.
const (
	stacksDesign = "https://github.com/crossplane/crossplane/blob/v0.10.0/design/design-doc-stacks.md"
	stackTypes   = "https://github.com/crossplane/crossplane/blob/v0.10.0/apis/stacks/v1alpha1/types.go"
	packageSpec  = "https://github.com/crossplane/crossplane/blob/v2.3.0/contributing/specifications/xpkg.md"
	packagesPage = "https://docs.crossplane.io/latest/packages/"
	crdPage      = "https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/"
)

// specs are the sources of the rules that name no source, by kind.
var specs = map[string]string{
	installKind: stackTypes, requestKind: packagesPage, recordKind: stackTypes, metadataKind: packageSpec, crdKind: crdPage,
}

// rules are the rules in the order of the fields.
var rules = []*rule{
	&unquotedString,
	&requestTarget, &requestPackage, &requestSource, &requestCRD, &requestPolicy, &requestVersion,
	&packageScope, &packageType, &packageDependency, &dependencyVersion, &recordCRDs, &controllerDeployment,
	&packagePermission, &packageRights,
	&behaviorEngine, &behaviorSource, &crdForm, &crdScope, &crdOwner, &recordContent, &dependencyProvider, &duplicatePackage,
}

// FileRule is the rule about the files of packages. It is checked when they are read.
const FileRule = "package-file"

// Extension returns the rules.
func Extension() validate.Extension {
	e := validate.Extension{After: "missing-param", Check: check}
	for _, r := range rules {
		e.Rules = append(e.Rules, r.described())
	}
	file := rule{Rule: validate.Rule{
		ID: FileRule, Severity: krm.Error,
		Summary: "The files of a Crossplane package have the form that their names ask for, and all that they say is used.",
		Why: "What crossplane v0.10 refused is an error, and what it ignored a warning. The example is the app.yaml of a folder " +
			".registry.",
		Example: "{title: Redis, permissionScope: Everywhere}",
		Kinds:   []string{recordKind},
		Sources: []string{"https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/stacks/unpack.go"},
	}}
	e.FileRules = []*validate.Rule{file.described()}
	return e
}

// described returns the rule with its kinds, page and sources.
func (r *rule) described() *validate.Rule {
	described := r.Rule
	for _, on := range []struct {
		kind   string
		checks bool
	}{
		{installKind, r.install != nil}, {requestKind, r.request != nil}, {recordKind, r.record != nil},
		{metadataKind, r.metadata != nil}, {crdKind, r.crd != nil},
	} {
		if on.checks {
			described.Kinds = append(described.Kinds, on.kind)
		}
	}
	described.Page = validate.RulesPage + "#" + r.ID
	for _, kind := range described.Kinds {
		if r.Sources == nil {
			described.Sources = append(described.Sources, specs[kind])
		}
	}
	return &described
}

// apply runs the checks of one kind on a document.
func apply[D any](document D, checkOf func(*rule) func(*validate.Rule, D)) {
	for _, r := range rules {
		if check := checkOf(r); check != nil {
			check(&r.Rule, document)
		}
	}
}

// given returns how many of the texts are not empty.
func given(texts ...string) (n int) {
	for _, text := range texts {
		n += min(len(text), 1)
	}
	return n
}

// wrong returns the text of an error, empty if it is nil.
func wrong(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
