package cli

import (
	"encoding/json"
	"io"
	"slices"

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
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
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
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
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

// printSARIF prints a log of one run, for code scanning.
func printSARIF(out io.Writer, r *report) error {
	driver := sarifDriver{Name: r.name, Version: r.version, InformationURI: home, Rules: r.sarifRules()}
	results := make([]sarifResult, len(r.results))
	for i, result := range r.results {
		results[i] = r.sarifResult(result, driver.Rules)
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// sarifRules returns the rules that are described, and behind them those that results name besides.
func (r *report) sarifRules() []sarifRule {
	rules := make([]sarifRule, 0, len(r.rules))
	described := map[string]bool{}
	for _, rule := range r.rules {
		described[rule.ID] = true
		rules = append(rules, sarifRule{
			ID: rule.ID, Short: &sarifMessage{rule.Demand}, Full: &sarifMessage{rule.Demand + " " + rule.Why},
			Config: &sarifConfig{sarifLevel(rule.Severity)},
		})
	}
	var others []string
	for _, result := range r.results {
		if id := result.Tags[RuleTag]; id != "" && !described[id] {
			described[id] = true
			others = append(others, id)
		}
	}
	slices.Sort(others)
	for _, id := range others {
		rules = append(rules, sarifRule{ID: id})
	}
	return rules
}

func (r *report) sarifResult(result krm.Result, rules []sarifRule) sarifResult {
	one := sarifResult{
		RuleID: result.Tags[RuleTag], Level: sarifLevel(result.Severity), Message: sarifMessage{told(result)},
	}
	if at := slices.IndexFunc(rules, func(rule sarifRule) bool { return rule.ID == one.RuleID }); at >= 0 {
		one.RuleIndex = &at
	}
	if place := result.Place; place.File != "" {
		location := sarifLocation{Physical: sarifPhysical{Artifact: artifact(place.File, r.folder)}}
		if place.Line > 0 {
			location.Physical.Region = r.sarifRegion(result)
		}
		if subject := subjectOf(result); subject != "" {
			location.Logical = []sarifLogical{{subject}}
		}
		one.Locations = []sarifLocation{location}
	}
	if isCertain(result) {
		one.Fixes = r.sarifFixes(result)
	}
	return one
}

// sarifRegion is the place of a result, up to the end of the value or key where that is known.
func (r *report) sarifRegion(result krm.Result) *sarifRegion {
	region := &sarifRegion{StartLine: result.Place.Line, StartColumn: result.Place.Column}
	if text, scalar, err := r.texts.scalar(result); err == nil && !scalar.Block {
		region.EndLine, region.EndColumn = text.Position(scalar.End)
	}
	return region
}

func (r *report) sarifFixes(result krm.Result) []sarifFix {
	change, err := r.texts.change(result)
	if err != nil {
		return nil
	}
	region := sarifRegion{}
	region.StartLine, region.StartColumn = change.text.Position(change.edit.From)
	region.EndLine, region.EndColumn = change.text.Position(change.edit.To)
	return []sarifFix{{[]sarifChange{{
		Artifact:     artifact(change.file, r.folder),
		Replacements: []sarifReplacement{{region, sarifMessage{change.edit.Text}}},
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
