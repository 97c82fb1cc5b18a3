package cli

import (
	"encoding/json"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// documenting is the flag of the programs of functions.
type documenting struct {
	Doc bool `json:"doc" help:"print the documentation as JSON, for catalogs of functions"`
}

// documentation is the output of --doc, in the format of kpt's catalog programs. The fields from Image on are those of
// metadata.yaml.
// https://github.com/kptdev/krm-functions-sdk/blob/main/go/fn/internal/docs/render.go
type documentation struct {
	Short              string   `json:"short"`
	Long               string   `json:"long"`
	Examples           string   `json:"examples"`
	Image              string   `json:"image"`
	Description        string   `json:"description"`
	Tags               []string `json:"tags"`
	SourceURL          string   `json:"sourceURL"`
	ExamplePackageURLs []string `json:"examplePackageURLs"`
	License            string   `json:"license"`
	Hidden             bool     `json:"hidden"`
}

func (r *run) printDocumentation() int {
	const home = "https://github.com/resource-plugins/krm-functions/tree/main/"
	tag := "mutator"
	if r.isLinter() {
		tag = "validator"
	}
	purpose := r.Name + " " + r.Purpose
	text, err := json.MarshalIndent(documentation{
		Short: purpose, Long: r.help(), Examples: strings.TrimSpace(r.Example), Image: contract.ImageRegistry + "/" + r.Name,
		Description: purpose, Tags: []string{tag}, SourceURL: home + "functions/" + r.Name,
		ExamplePackageURLs: []string{home + "examples/hello-db"}, License: "Apache-2.0",
	}, "", "  ")
	if err != nil {
		return r.fail(err)
	}
	return r.print(string(text) + "\n")
}
