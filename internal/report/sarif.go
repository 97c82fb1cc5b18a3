package report

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The parts of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string        `json:"id"`
		Short  *sarifMessage `json:"shortDescription,omitempty"`
		Full   *sarifMessage `json:"fullDescription,omitempty"`
		Config *sarifConfig  `json:"defaultConfiguration,omitempty"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   *sarifRegion  `json:"region,omitempty"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Changes []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// writeSARIF prints a log of one run, for code scanning.
func (r *Report) writeSARIF(out io.Writer) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: make([]sarifResult, len(r.Results))}
	run.Tool.Driver = sarifDriver{Name: r.Name, Version: r.Version, InformationURI: Home, Rules: r.sarifRules()}
	for i, result := range r.Results {
		run.Results[i] = r.sarifResult(result, run.Tool.Driver.Rules)
	}
	return encodeJSON(out, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifRules returns the rules that are described, and after them the others that results name.
func (r *Report) sarifRules() []sarifRule {
	rules := make([]sarifRule, 0, len(r.Rules))
	for _, rule := range r.Rules {
		rules = append(rules, sarifRule{
			ID: rule.ID, Short: &sarifMessage{rule.Description}, Full: &sarifMessage{rule.Description + " " + rule.Why},
			Config: &sarifConfig{sarifLevel(rule.Severity)},
		})
	}
	var others []string
	for _, result := range r.Results {
		if id := result.Tags[RuleTag]; id != "" && ruleIndex(rules, id) < 0 {
			others = append(others, id)
		}
	}
	slices.Sort(others)
	for _, id := range slices.Compact(others) {
		rules = append(rules, sarifRule{ID: id})
	}
	return rules
}

func ruleIndex(rules []sarifRule, id string) int {
	return slices.IndexFunc(rules, func(rule sarifRule) bool { return rule.ID == id })
}

func (r *Report) sarifResult(result krm.Result, rules []sarifRule) sarifResult {
	one := sarifResult{
		RuleID: result.Tags[RuleTag], Level: sarifLevel(result.Severity), Message: sarifMessage{message(result)},
	}
	if at := ruleIndex(rules, one.RuleID); at >= 0 {
		one.RuleIndex = &at
	}
	if result.Place.File != "" {
		one.Locations = []sarifLocation{r.sarifLocation(result)}
	}
	if edit.IsCertain(result) {
		one.Fixes = r.sarifFixes(result)
	}
	return one
}

// sarifLocation is the place of a result, up to the end of the value or key if that is known.
func (r *Report) sarifLocation(result krm.Result) sarifLocation {
	var location sarifLocation
	place := result.Place
	location.Physical.Artifact = uri(place.File, r.Folder)
	if place.Line > 0 {
		region := &sarifRegion{StartLine: place.Line, StartColumn: place.Column}
		if text, scalar, err := r.Files.Scalar(result); err == nil && !scalar.Block {
			region.EndLine, region.EndColumn = text.Position(scalar.End)
		}
		location.Physical.Region = region
	}
	if subject := subject(result); subject != "" {
		location.Logical = []sarifLogical{{subject}}
	}
	return location
}

func (r *Report) sarifFixes(result krm.Result) []sarifFix {
	text, change, err := r.Files.Proposal(result)
	if err != nil {
		return nil
	}
	region := sarifRegion{}
	region.StartLine, region.StartColumn = text.Position(change.From)
	region.EndLine, region.EndColumn = text.Position(change.To)
	return []sarifFix{{[]sarifChange{{
		Artifact:     uri(result.Place.File, r.Folder),
		Replacements: []sarifReplacement{{region, sarifMessage{change.Text}}},
	}}}}
}

func sarifLevel(severity krm.Severity) string {
	switch severity {
	case krm.Info:
		return "note"
	case krm.Warning:
		return "warning"
	default:
		return "error"
	}
}

// uri names a file relative to the root of the sources, which readers know as %SRCROOT%, if the file is below the
// working folder.
func uri(file, folder string) sarifArtifact {
	if filepath.IsAbs(file) {
		below, err := filepath.Rel(folder, file)
		if folder == "" || err != nil || !filepath.IsLocal(below) {
			return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
		}
		file = filepath.ToSlash(below)
	}
	return sarifArtifact{URI: (&url.URL{Path: file}).String(), Base: "%SRCROOT%"}
}
