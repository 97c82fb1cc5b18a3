package report

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// object is a JSON object of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
type object = map[string]any

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// writeSARIF prints a log of one run, for code scanning.
func (r *Report) writeSARIF(out io.Writer) error {
	rules, indexes := r.sarifRules()
	results := make([]object, len(r.Results))
	for i, result := range r.Results {
		results[i] = r.sarifResult(result, indexes)
	}
	driver := object{"name": r.Name, "version": r.Version, "informationUri": Home, "rules": rules}
	if r.Version == "" {
		delete(driver, "version")
	}
	run := object{"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
	return encodeJSON(out, object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}})
}

// sarifRules returns the rules that are described, and after them the others that results name, with the index of each.
func (r *Report) sarifRules() (rules []object, indexes map[string]int) {
	rules, indexes = make([]object, 0, len(r.Rules)), map[string]int{}
	for _, rule := range r.Rules {
		indexes[rule.ID] = len(rules)
		rules = append(rules, object{
			"id": rule.ID, "shortDescription": sarifText(rule.Summary),
			"fullDescription":      sarifText(rule.Summary + " " + rule.Why),
			"defaultConfiguration": object{"level": sarifLevel(rule.Severity)},
		})
	}
	for _, result := range r.Results {
		id := result.Tags[RuleTag]
		if _, known := indexes[id]; !known && id != "" {
			indexes[id] = len(rules)
			rules = append(rules, object{"id": id})
		}
	}
	return rules, indexes
}

func (r *Report) sarifResult(result krm.Result, indexes map[string]int) object {
	one := object{"level": sarifLevel(result.Severity), "message": sarifText(message(result))}
	if id := result.Tags[RuleTag]; id != "" {
		one["ruleId"], one["ruleIndex"] = id, indexes[id]
	}
	if result.Place.File != "" {
		one["locations"] = []object{r.sarifLocation(result)}
	}
	if edit.IsCertain(result) {
		if text, change, err := r.Files.Proposal(result); err == nil {
			one["fixes"] = []object{{"artifactChanges": []object{{
				"artifactLocation": uri(result.Place.File, r.Folder),
				"replacements": []object{{
					"deletedRegion": sarifRegion(text, change.From, change.To), "insertedContent": sarifText(change.Text),
				}},
			}}}}
		}
	}
	return one
}

// sarifLocation is the place of a result, up to the end of the value or key if that is known.
func (r *Report) sarifLocation(result krm.Result) object {
	place := result.Place
	physical := object{"artifactLocation": uri(place.File, r.Folder)}
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
	if subject := subject(result); subject != "" {
		location["logicalLocations"] = []object{{"fullyQualifiedName": subject}}
	}
	return location
}

// sarifRegion is what is written between two bytes of a text.
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

// uri names a file relative to the root of the sources, which readers know as %SRCROOT%, if the file is below the
// working folder.
func uri(file, folder string) object {
	if filepath.IsAbs(file) {
		below, err := filepath.Rel(folder, file)
		if folder == "" || err != nil || !filepath.IsLocal(below) {
			return object{"uri": (&url.URL{Scheme: "file", Path: file}).String()}
		}
		file = filepath.ToSlash(below)
	}
	return object{"uri": (&url.URL{Path: file}).String(), "uriBaseId": "%SRCROOT%"}
}
