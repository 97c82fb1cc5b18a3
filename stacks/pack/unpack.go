package pack

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// Unpack returns the objects of a `.registry` folder and the problems of its files. The objects are nil if any result is an
// error. To only check a package, pass zero options.
func Unpack(files registry.Files, o registry.Options) (*registry.Unpacked, krm.Results) {
	o.Mismatch = mismatch
	read := registry.Read(files, o)
	results := resultsOf(read.Findings())
	if read.Failed() {
		return nil, results
	}
	return read.Unpack(), results
}

// mismatch returns the reason why crossplane v0.10.0 could not decode the file of a CRD or a Deployment, or nil.
func mismatch(kind string, content []byte) *strictyaml.Problem {
	check := v0.CheckDeployment
	if kind == registry.CRDKind {
		check = v0.CheckCRD
	}
	found := check(content)
	if found == nil {
		return nil
	}
	problem := strictyaml.Error(krm.Path(found.Field), "%s", found.Message)
	return &problem
}

// resultsOf converts findings to results about the objects of the files.
func resultsOf(findings []*registry.Finding) krm.Results {
	items := map[*yaml.Node]*krm.Item{}
	results := make(krm.Results, len(findings))
	for i, f := range findings {
		severity := krm.Severity(f.Severity)
		switch {
		case f.Document == nil:
			results[i] = krm.NewResult(severity, f.Message)
		case items[f.Document] == nil:
			items[f.Document] = krm.FromNode(f.Document, f.File)
			fallthrough
		default:
			about := krm.At
			if f.IsAtKey() {
				about = krm.AtKey
			}
			results[i] = about(items[f.Document], f.Path, severity, f.Message)
		}
		results[i].Place = krm.Place{File: f.File, Line: f.Line, Column: f.Column}
		if ref := results[i].ResourceRef; ref != nil && ref.Kind == "" {
			results[i].ResourceRef = nil
		}
	}
	return results
}
