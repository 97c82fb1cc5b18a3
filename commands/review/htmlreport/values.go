package htmlreport

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// hidden is shown in place of a value.
const hidden = "(hidden)"

// values hides values that may be passwords: params, literal values of variables, patches and files of sandboxes, and
// Secrets.
type values struct {
	// show disables the hiding.
	show  bool
	files *edit.Files
	// masks are the hidden parts of each file.
	masks map[string]*mask
	// hidden are the hidden scalars of each item: each has itself, and an overlay those in its text.
	hidden map[*krm.Item]map[*yaml.Node][]*yaml.Node
	items  []*krm.Item
}

// message returns the message of a result without its value.
func (v *values) message(result krm.Result) string {
	text := result.Message
	for _, value := range v.about(result) {
		for _, written := range []string{strconv.Quote(value), value} {
			if written != "" {
				text = replaceWords(text, written)
			}
		}
	}
	return report.Printable(text)
}

// hides reports whether a result is about a value that is hidden.
func (v *values) hides(result krm.Result) bool { return len(v.about(result)) > 0 }

// about returns the hidden values that a result is about.
func (v *values) about(result krm.Result) (found []string) {
	item := result.Item()
	if v.show || item == nil || result.Field == nil {
		return nil
	}
	node, known := krm.Path(result.Field.Path).Find(item.YNode())
	if !known {
		return nil
	}
	all := v.hiddenOf(item)
	for _, scalar := range scalars(node) {
		for _, one := range all[scalar] {
			found = append(found, one.Value)
		}
	}
	return found
}

// replaceWords hides a text, except as a part of a word.
func replaceWords(text, word string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, word)
		if at < 0 {
			return b.String() + text
		}
		end := at + len(word)
		isPart := at > 0 && isWord(text[at-1]) && isWord(word[0]) ||
			end < len(text) && isWord(text[end]) && isWord(word[len(word)-1])
		b.WriteString(text[:at])
		if isPart {
			b.WriteString(word)
		} else {
			b.WriteString(hidden)
		}
		text = text[end:]
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// lines hides the values in source lines of a result's file. For a document that could not be read, all but known keys
// is hidden: a line may be a part of a text.
func (v *values) lines(result krm.Result, lines []report.SourceLine) []report.SourceLine {
	if v.show || len(lines) == 0 {
		return lines
	}
	if item := result.Item(); item == nil || v.hides(result) && item.PlaceOf("").File != result.Place.File {
		for i := range lines {
			key, _, isKey := strings.Cut(lines[i].Before+lines[i].Marked+lines[i].After, ": ")
			if lines[i] = (report.SourceLine{Number: lines[i].Number, Before: hidden}); isKey && isKnownKey(key) {
				lines[i].Before = key + ": " + hidden
			}
		}
		return lines
	}
	masks := v.masksOf(result.Place.File)
	for i, line := range lines {
		from, masked := masks.column(line.Number)
		if !masked {
			continue
		}
		all := []rune(line.Before + line.Marked + line.After)
		kept := string(all[:min(from, len(all))])
		if strings.HasPrefix(line.Before, "…") {
			kept = "…"
		}
		lines[i].Before, lines[i].Marked, lines[i].After = kept+hidden, "", ""
		if strings.HasPrefix(kept, line.Before) && strings.HasPrefix(kept, line.Before+line.Marked) {
			lines[i].Before, lines[i].Marked, lines[i].After = line.Before, line.Marked, kept[len(line.Before+line.Marked):]+hidden
		}
	}
	return lines
}

// object returns the text of a rendered object without its values, and whether it had any.
func (v *values) object(item *krm.Item, text []byte) (shown string, hides bool) {
	if v.show || !v.mayHide(item, text) {
		return printable(text), false
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) == 0 {
		return hidden, true
	}
	_, isOurs := item.Annotation(contract.PhaseKey)
	nodes := v.of(item.Kind(), document.Content[0], isOurs)
	if hasParams(item) {
		nodes = append(nodes, paramsOf(document.Content[0])...)
	}
	source := edit.New(text, 0)
	slices.SortFunc(nodes, func(a, b *yaml.Node) int { return cmp.Or(b.Line-a.Line, b.Column-a.Column) })
	for _, node := range slices.Compact(nodes) { // from the end, so that the places of the others stay
		scalar, found := source.Scalar(node.Line, node.Column, node.Value)
		if !found {
			return hidden, true
		}
		end := scalar.End
		for end > scalar.Start && text[end-1] == '\n' {
			end--
		}
		text = slices.Concat(text[:scalar.Start], []byte(hidden), text[end:])
	}
	return printable(text), len(nodes) > 0
}

// mayHide reports whether an object can have a hidden value, without parsing it.
func (v *values) mayHide(item *krm.Item, text []byte) bool {
	switch item.Kind() {
	case "Secret":
		return true
	case "ConfigMap":
		return hasParams(item)
	}
	return bytes.Contains(text, []byte("env")) || bytes.Contains(text, []byte(corev1.LastAppliedConfigAnnotation))
}

// hasParams reports whether an object is a rendered ConfigMap with the params of a resource; ConfigMaps with scripts
// belong to a plugin.
func hasParams(item *krm.Item) bool {
	_, isOurs := item.Annotation(contract.PhaseKey)
	_, isOfResource := item.Annotation(contract.ResourceKey)
	return item.Kind() == "ConfigMap" && isOurs && isOfResource
}

// paramsOf returns the values of a ConfigMap with params, without those of variables that every step has.
func paramsOf(configMap *yaml.Node) (nodes []*yaml.Node) {
	data := krm.Value(configMap, "data")
	if data == nil {
		return nil
	}
	for i := 0; i+1 < len(data.Content); i += 2 {
		if !slices.Contains(contract.StepVariables(), data.Content[i].Value) {
			nodes = append(nodes, scalars(data.Content[i+1])...)
		}
	}
	return nodes
}

// printable escapes unprintable characters in a text of several lines.
func printable(text []byte) string {
	var b strings.Builder
	b.Grow(len(text))
	for i, line := range strings.Split(string(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, part := range strings.Split(line, "\t") {
			if j > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(report.Printable(part))
		}
	}
	return b.String()
}
