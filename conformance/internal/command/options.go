package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

const help = `krm-conformance tests a KRM function against the KRM Functions Specification, and against what kustomize and
kpt rely on beyond it.

Usage:
  krm-conformance [flags] -- PROGRAM ARGS…
  krm-conformance [flags] --image REF [-- ARGS…]
  krm-conformance --list
  krm-conformance --explain CASE

Examples:
  krm-conformance --profile validator --invalid invalid.yaml -- ./my-function
  krm-conformance --config config.yaml --image ghcr.io/me/set-owner:v1.0.0
  krm-conformance --skip keep/order='it sorts items' -- ./sort

Flags:
%s
A case is passed, failed, skipped (the reason is printed) or blocked: a case that it needs has failed.
Exit codes: 0 all cases passed that were run; 1 a case failed; 2 the call is wrong, or the suite could not be run.
`

type options struct {
	image, runtime, profile, level, output, explain string
	config, invalid                                 string
	items, skip, mounts                             []string
	timeout                                         time.Duration
	list, verbose                                   bool
}

func newOptions() (*options, *pflag.FlagSet) {
	o := &options{}
	flags := pflag.NewFlagSet("krm-conformance", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetInterspersed(false)
	flags.Usage = func() {}
	flags.StringVar(&o.image, "image", "", "test the image `REF` in place of a program")
	flags.StringVar(&o.runtime, "runtime", "docker", "the `program` that runs images, with the flags of docker run")
	flags.StringArrayVar(&o.mounts, "mount", nil,
		"a `mount` of the image, as docker run takes it: type=bind,src=FOLDER,dst=FOLDER,readonly; repeat it for more")
	flags.StringVar(&o.profile, "profile", "transformer",
		"what the function claims to do: `generator`, transformer or validator (which may reject items with error results)")
	flags.StringVar(&o.config, "config", "", "the `file` with the functionConfig, if the function needs one")
	flags.StringArrayVar(&o.items, "items", nil,
		"a `file` of items that are added to the lists of most cases; repeat it for more")
	flags.StringVar(&o.invalid, "invalid", "", "a `file` with a ResourceList that the function must reject")
	flags.StringArrayVar(&o.skip, "skip", nil, "do not run a case, as `CASE=REASON`: it contradicts the function's purpose")
	flags.StringVar(&o.level, "level", "convention",
		"run the cases of this `level` and those above: MUST, SHOULD, statement, convention")
	flags.StringVarP(&o.output, "output", "o", "text",
		"the `format`: text, json, junit or badge (JSON for a badge of shields.io)")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "end a run of the function that takes longer")
	flags.BoolVar(&o.list, "list", false, "print all cases")
	flags.StringVar(&o.explain, "explain", "", "print what a `CASE` tests, why, and its input")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "print each case before it is run on stderr")
	return o, flags
}

// data reads the files of the flags.
func (o *options) data() (suite.Data, error) {
	var data suite.Data
	var err error
	if o.config != "" {
		if data.Config, err = os.ReadFile(o.config); err != nil {
			return data, fmt.Errorf("--config: %w", err)
		}
		var config map[string]any
		if err := yaml.Unmarshal(data.Config, &config); err != nil {
			return data, fmt.Errorf("--config %s must be one YAML object: %w", o.config, err)
		}
	}
	if o.invalid != "" {
		if data.Invalid, err = os.ReadFile(o.invalid); err != nil {
			return data, fmt.Errorf("--invalid: %w", err)
		}
	}
	for _, file := range o.items {
		items, err := readItems(file)
		if err != nil {
			return data, fmt.Errorf("--items %s: %w", file, err)
		}
		data.Items = append(data.Items, items...)
	}
	return data, nil
}

// readItems returns the documents of a file, with their comments.
func readItems(file string) ([][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var items [][]byte
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var item yaml.Node
		if err := decoder.Decode(&item); errors.Is(err, io.EOF) {
			return items, nil
		} else if err != nil {
			return nil, err
		}
		if content := item.Content[0]; content.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("line %d: an item must be an object", content.Line)
		}
		document, err := yaml.Marshal(&item)
		if err != nil {
			return nil, err
		}
		items = append(items, document)
	}
}

// skipped reads the values of --skip.
func (o *options) skipped(cases []*suite.Case) (map[string]string, error) {
	skip := map[string]string{}
	for _, value := range o.skip {
		id, reason, _ := strings.Cut(value, "=")
		if suite.Find(cases, id) == nil {
			return nil, fmt.Errorf("--skip: unknown case %q; see krm-conformance --list", id)
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("--skip %s: must have a reason: --skip %s=REASON", id, id)
		}
		skip[id] = reason
	}
	return skip, nil
}
