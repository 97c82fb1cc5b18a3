package report

import (
	"cmp"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// object is a JSON object of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
type object = map[string]any

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sourceRoot is the base of relative file names. Its own location is omitted, since it differs between machines.
const (
	sourceRoot      = "%SRCROOT%"
	rootDescription = "The top level of the git repository, or the working directory outside of one."
)

// writeSARIF prints a log of one run, for code scanning.
func (r *Report) writeSARIF(out io.Writer) error {
	rules, indexes := r.sarifRules()
	results := make([]object, 0, len(r.Results)+len(r.Suppressed))
	for _, result := range r.Results {
		results = append(results, r.sarifResult(result, indexes))
	}
	for _, finding := range r.Suppressed {
		result := r.sarifResult(finding.Result, indexes)
		result["suppressions"] = []object{{"kind": "inSource", "justification": finding.Reason}}
		results = append(results, result)
	}
	driver := object{"name": r.Name, "version": r.Version, "informationUri": Home, "rules": rules}
	if r.Version == "" {
		delete(driver, "version")
	}
	run := object{
		"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results,
		"originalUriBaseIds": object{sourceRoot: object{"description": sarifText(rootDescription)}},
	}
	return WriteJSON(out, object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}})
}

// sarifRules returns the described rules, followed by other rules in results, with the index of each.
func (r *Report) sarifRules() (rules []object, indexes map[string]int) {
	rules, indexes = make([]object, 0, len(r.Rules)), map[string]int{}
	for _, rule := range r.Rules {
		indexes[rule.ID] = len(rules)
		described := object{
			"id": rule.ID, "shortDescription": sarifText(rule.Summary),
			"fullDescription":      sarifText(rule.Summary + " " + rule.Why),
			"defaultConfiguration": object{"level": sarifLevel(rule.Severity)},
		}
		if rule.Page != "" {
			described["helpUri"] = rule.Page
		}
		rules = append(rules, described)
	}
	for _, result := range r.Results {
		id := result.Tags[krm.RuleTag]
		if _, known := indexes[id]; !known && id != "" {
			indexes[id] = len(rules)
			rules = append(rules, object{"id": id})
		}
	}
	return rules, indexes
}

func (r *Report) sarifResult(result krm.Result, indexes map[string]int) object {
	sarif := object{"level": sarifLevel(result.Severity), "message": sarifText(message(result))}
	if id := result.Tags[krm.RuleTag]; id != "" {
		sarif["ruleId"], sarif["ruleIndex"] = id, indexes[id]
	}
	if result.Place.File != "" {
		sarif["locations"] = []object{r.sarifLocation(result)}
	}
	if edit.IsCertain(result) {
		if text, change, err := r.Files.Proposal(result); err == nil {
			sarif["fixes"] = []object{{
				"description": sarifText(Printable(Change(result))),
				"artifactChanges": []object{{
					"artifactLocation": r.artifact(result.Place.File),
					"replacements": []object{{
						"deletedRegion": sarifRegion(text, change.From, change.To), "insertedContent": sarifText(change.Text),
					}},
				}},
			}}
		}
	}
	return sarif
}

// sarifLocation returns the place of a result, up to the end of its value or key if that is known.
func (r *Report) sarifLocation(result krm.Result) object {
	place := result.Place
	physical := object{"artifactLocation": r.artifact(place.File)}
	location := object{"physicalLocation": physical}
	if text, scalar, err := r.Files.Scalar(result); err == nil && !scalar.Block {
		region := sarifRegion(text, scalar.End, scalar.End)
		region["startLine"], region["startColumn"] = place.Line, place.Column
		physical["region"] = region
	} else if place.Column > 0 {
		physical["region"] = object{"startLine": place.Line, "startColumn": place.Column}
	} else if place.Line > 0 {
		physical["region"] = object{"startLine": place.Line}
	}
	if subject := objectAndField(result); subject != "" {
		location["logicalLocations"] = []object{{"fullyQualifiedName": subject}}
	}
	return location
}

// sarifRegion returns the region between two byte offsets of a text.
func sarifRegion(text *edit.Text, from, to int) object {
	line, column := text.Position(from)
	endLine, endColumn := text.Position(to)
	return object{"startLine": line, "startColumn": column, "endLine": endLine, "endColumn": endColumn}
}

func sarifText(text string) object { return object{"text": text} }

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

// artifact names a file relative to the root of the sources, or by its absolute path if it is elsewhere. Other inputs, such
// as the standard input, keep their names.
func (r *Report) artifact(file string) object {
	if r.Folder == "" || load.IsStdin(file) {
		return object{"uri": (&url.URL{Path: file}).String()}
	}
	root, path := cmp.Or(r.Root, r.Folder), file
	if older, ok := strings.CutPrefix(file, r.Revision+":"); ok && r.Revision != "" {
		path = filepath.Join(root, older)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(r.Folder, path)
	}
	below, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(below) {
		return object{"uri": (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}
	}
	return object{"uri": (&url.URL{Path: filepath.ToSlash(below)}).String(), "uriBaseId": sourceRoot}
}
