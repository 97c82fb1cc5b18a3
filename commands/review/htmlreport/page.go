package htmlreport

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template, the style sheet and the script
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Page is the content of a page.
type Page struct {
	// Report has the documents and the findings.
	*report.Report
	// Paths are the paths from which the documents were read.
	Paths []string
	// IsRequest reports whether a document asks for a package; nil if none does.
	IsRequest func(item *krm.Item) bool
	// Objects are the objects to be applied, none if there is an error.
	Objects []*krm.Item
	// ShowValues shows values that may be passwords.
	ShowValues bool
}

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed style.css
	style string
	//go:embed script.js
	script string
)

var parsed = template.Must(template.New("page").Funcs(template.FuncMap{"count": report.Count}).Parse(pageTemplate))

// content is the data of the template.
type content struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title      string
	Verdict    verdict
	Sections   []section
	Findings   []finding
	Notes      []finding
	Suppressed []finding
	Sandboxes  []sandboxCard
	Groups     []groupCard
	Requests   []requestCard
	Plugins    []pluginCard
	Owners     []ownerCard
	Shapes     []shape
	Objects    int
	// Hidden reports that a value is hidden somewhere.
	Hidden bool
	// Many reports that cards are closed at first.
	Many bool
}

// section is a part of the page. Closable means that it has cards that can be closed.
type section struct {
	ID, Title string
	Count     int
	Closable  bool
}

// sections returns the sections of the page.
func (c *content) sections() []section {
	all := []section{
		{"findings", "Findings", len(c.Findings), false},
		{"sandboxes", "Sandboxes", len(c.Sandboxes), true},
		{"route-groups", "Route groups", len(c.Groups), true},
		{"packages", "Packages", len(c.Requests), true},
		{"plugins", "Plugins", len(c.Plugins), true},
		{"objects", "Objects", c.Objects, c.Objects > 0},
	}
	return slices.DeleteFunc(all, func(s section) bool { return s.Count == 0 && s.ID != "findings" && s.ID != "objects" })
}

// verdict is the first line of the page.
type verdict struct {
	// Class is failed, warned or passed.
	Class, Text, Detail string
}

// titleNames is how many names a title has.
const titleNames = 3

// many is the number of cards from which they are closed at first.
const many = 8

// HTML returns the page. The same documents produce the same bytes.
func (p Page) HTML() ([]byte, error) {
	b := &builder{Page: p, anchors: reserved(), cards: map[*krm.Item]string{},
		counts: map[*krm.Item]map[krm.Severity]int{},
		values: values{show: p.ShowValues, files: p.Files, masks: map[string]*mask{},
			hidden: map[*krm.Item]map[*yaml.Node][]*yaml.Node{},
			items:  p.items()}}
	c, err := b.content()
	if err != nil {
		return nil, err
	}
	sheet := style + diagram.Style(".picture")
	c.Policy = "default-src 'none'; style-src 'sha256-" + digest(sheet) + "'; script-src 'sha256-" + digest(script) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	c.Style, c.Script = template.CSS(sheet), template.JS(script)
	var out bytes.Buffer
	err = parsed.Execute(&out, c)
	return out.Bytes(), err
}

// items returns the documents, and those that findings are about but that could not be used.
func (p *Page) items() []*krm.Item {
	all := slices.Clone(p.List.Items())
	seen := map[*krm.Item]bool{nil: true}
	for _, item := range all {
		seen[item] = true
	}
	for _, result := range p.Results {
		if item := result.Item(); !seen[item] {
			seen[item] = true
			all = append(all, item)
		}
	}
	return all
}

// reserved returns the anchors that the template uses itself.
func reserved() map[string]int {
	taken := map[string]int{"main": 1, "query": 1, "matches": 1, "no-match": 1, "notes": 1, "suppressed": 1}
	for _, one := range (&content{}).sections() {
		taken[one.ID] = 1
	}
	return taken
}

// digest is the hash of a style sheet or a script in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// builder builds the content of a page.
type builder struct {
	Page
	// anchors counts the uses of each anchor, to make them unique, and cards has those of documents.
	anchors map[string]int
	cards   map[*krm.Item]string
	// counts are the findings about each document.
	counts map[*krm.Item]map[krm.Severity]int
	values values
	hidden bool
}

// title returns the paths, or for the working folder, whose name is not known, the names of the first sandboxes or plugins.
func (b *builder) title() string {
	if paths := strings.Join(b.Paths, " "); paths != "." && paths != "" {
		return report.Printable(paths)
	}
	for _, kind := range []string{contract.Sandbox, contract.ResourcePlugin} {
		var names []string
		for _, item := range b.List.Items() {
			if item.Kind() == kind {
				names = append(names, item.Name())
			}
		}
		if more := len(names) - titleNames; more > 0 {
			names = append(names[:titleNames], fmt.Sprintf("%d more", more))
		}
		if len(names) > 0 {
			return report.Printable(strings.Join(names, ", "))
		}
	}
	return "working folder"
}

func (b *builder) content() (*content, error) {
	c := &content{Title: b.title()}
	for _, result := range b.Results {
		if b.counts[result.Item()] == nil {
			b.counts[result.Item()] = map[krm.Severity]int{}
		}
		b.counts[result.Item()][severityOf(result)]++
	}
	c.Plugins = b.plugins()
	c.Sandboxes = b.sandboxes(c.Plugins)
	c.Groups = b.groups()
	c.Requests = b.requests()
	var err error
	if c.Owners, err = b.owners(c); err != nil {
		return nil, err
	}
	c.Shapes = share(c.Owners)
	for _, result := range b.Results {
		if severityOf(result) == krm.Info {
			c.Notes = append(c.Notes, b.finding(result))
		} else {
			c.Findings = append(c.Findings, b.finding(result))
		}
	}
	for _, one := range b.Suppressed {
		f := b.finding(one.Result)
		f.Reason = report.Printable(one.Reason)
		c.Suppressed = append(c.Suppressed, f)
	}
	b.link(c)
	c.Objects = len(b.Objects)
	c.Sections = c.sections()
	c.Verdict = b.verdict()
	c.Hidden = b.hidden
	c.Many = len(c.Sandboxes)+len(c.Plugins) > many
	return c, nil
}

// verdict counts the findings, and states whether objects are rendered.
func (b *builder) verdict() verdict {
	counts := map[krm.Severity]int{}
	for _, result := range b.Results {
		counts[severityOf(result)]++
	}
	var said []string
	for _, severity := range []krm.Severity{krm.Error, krm.Warning} {
		if n := counts[severity]; n > 0 {
			said = append(said, report.Count(n, string(severity)))
		}
	}
	detail := report.Count(len(b.Objects), "object") + " to be applied"
	switch {
	case counts[krm.Error] > 0:
		return verdict{"failed", strings.Join(said, ", "), "Nothing is rendered until the errors are fixed."}
	case counts[krm.Warning] > 0:
		return verdict{"warned", strings.Join(said, ", "), detail + "."}
	}
	return verdict{"passed", "No errors, no warnings", detail + "."}
}

// anchor returns a name for links, from a kind and names. It is unique on the page.
func (b *builder) anchor(kind string, names ...string) string {
	var plain strings.Builder
	plain.WriteString(kind)
	for _, name := range names {
		plain.WriteByte('-')
		for _, r := range strings.ToLower(name) {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				plain.WriteRune(r)
			} else if text := plain.String(); text[len(text)-1] != '-' {
				plain.WriteByte('-')
			}
			if plain.Len() > longestAnchor {
				break
			}
		}
	}
	return b.unique(strings.TrimRight(plain.String(), "-"))
}

const longestAnchor = 120

// unique adds a number to an anchor that is taken. No anchor ends in an underscore and a number otherwise.
func (b *builder) unique(anchor string) string {
	b.anchors[anchor]++
	if n := b.anchors[anchor]; n > 1 {
		return anchor + "_" + strconv.Itoa(n)
	}
	return anchor
}
