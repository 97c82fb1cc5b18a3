package dependency

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// Report counts what Pin did.
type Report struct {
	// Requests is the number of requests in the list, Resolved the number of those that are resolved, and Packages the
	// number of packages that they need.
	Requests, Resolved, Packages int
	Lock                         resolve.LockStats
}

// Pin resolves the install requests of a list, writes the chosen versions into them, and updates the lock according to
// the options. The original reference is recorded in annotations of the request, as for sandboxes. A request that
// cannot be resolved stays as it is.
func Pin(list *krm.ResourceList, options resolve.Options) (Report, error) {
	r, err := newResolver(list, options)
	if err != nil {
		return Report{}, err
	}
	report := Report{Requests: len(r.requests), Packages: len(r.resolution.Chosen)}
	for i, one := range r.resolution.Requests {
		if one.Closure == nil {
			continue
		}
		report.Resolved++
		r.pin(r.requests[i], one.Closure)
	}
	r.reportFloating()
	if r.locks != nil && r.Mode != resolve.Locked && report.Resolved == report.Requests && r.locks.Valid() {
		r.updateLock(&report.Lock)
	}
	return report, nil
}

// Names returns the names of packages that resolve.Options.Update may contain: those of locked packages, and those that
// requests ask for, with their references.
func Names(list *krm.ResourceList) map[string]bool {
	names := map[string]bool{}
	for _, r := range readRequests(list) {
		if r.err != nil {
			continue
		}
		names[r.requested()], names[r.text] = true, true
		if asked, err := pack.ParseReference(r.text); err == nil && r.field == packagePath {
			names[asked.Name], names[r.repositoryOf(asked)] = true, true
		}
	}
	for _, entry := range resolve.NewPackageLocks(list.Items()).Entries() {
		names[entry.Name] = true
	}
	return names
}

func (r *resolver) add(one *request, severity krm.Severity, format string, args ...any) {
	r.list.Report(krm.At(one.item, one.at, severity, fmt.Sprintf(format, args...)))
}

// pin writes the chosen version into a request, and reports the choice.
func (r *resolver) pin(one *request, closure []*Chosen) {
	own := closure[len(closure)-1]
	if one.stale != nil {
		r.add(one, krm.Info, "%q was edited after %q had been resolved to %q: the edit counts, the old request is dropped",
			one.text, one.stale.requested+one.stale.crd, one.stale.pin)
	}
	r.reportChoice(one, closure)
	if one.field == crdPath && imageref.WithSource(one.source, own.Name) != own.Name {
		r.add(one, krm.Warning, "%q is not pinned, since the image of package %q is not known: annotate its document with %s",
			one.text, own.Name, contract.PackageKey)
		return
	}
	pin := one.pin(own)
	if pin == one.text {
		if one.stale != nil {
			one.item.Unannotate(contract.RequestedKey)
			one.item.Unannotate(contract.DigestsKey)
		}
		return
	}
	if one.pinned() {
		r.add(one, krm.Info, "%q moved from %s to %s", one.requested(), one.text, pin)
	}
	if err := one.write(pin); err != nil {
		r.add(one, krm.Error, "must be pinned to %q by hand: %s", pin, err)
	}
}

// write sets the reference of a request, and records the original one.
func (r *request) write(pin string) error {
	if r.field == packagePath {
		if err := r.item.Set(packagePath, pin); err != nil {
			return err
		}
	} else if err := r.item.Edit(func(object *kyaml.RNode) error { return replaceCRD(object.YNode(), pin) }); err != nil {
		return err
	}
	asked := map[string]string{"package": r.asked}
	if r.askedCRD != "" {
		asked = map[string]string{"crd": r.askedCRD}
	}
	r.item.Annotate(contract.RequestedKey, string(yamlprint.AppendJSON(nil, asked)))
	r.item.Annotate(contract.DigestsKey, string(yamlprint.AppendJSON(nil, map[string]string{"package": pin})))
	return nil
}

// replaceCRD replaces the field crd of a request with the field package, in the same place.
func replaceCRD(object *yaml.Node, pin string) error {
	spec := krm.Value(object, "spec")
	for i := 0; i+1 < len(spec.Content); i += 2 {
		if key := spec.Content[i]; key.Value == "crd" {
			key.Value = "package"
			value := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: pin, Style: spec.Content[i+1].Style}
			value.LineComment = spec.Content[i+1].LineComment
			spec.Content[i+1] = &value
			return nil
		}
	}
	return fmt.Errorf("%s is a merged key", crdPath)
}

// reportChoice reports warnings about the chosen versions, and with Explain how they were chosen.
func (r *resolver) reportChoice(one *request, closure []*Chosen) {
	for _, c := range closure {
		p := r.builder.byName[document.ImageRepository(c.Name)]
		from := p.find(c.Version, c.Digest)
		if from.yanked != "" {
			r.add(one, krm.Warning, "%s is yanked: %q; ask for another version once nothing needs this one",
				pack.ImageOf(c.Name, c.Version, ""), from.yanked)
		}
		if from.deprecated != "" {
			r.add(one, krm.Warning, "%s is deprecated: %q", pack.ImageOf(c.Name, c.Version, ""), from.deprecated)
		}
		if p.deprecated != "" {
			r.add(one, krm.Warning, "package %q is deprecated: %q", c.Name, p.deprecated)
		}
	}
	if !r.Explain {
		return
	}
	for _, line := range r.explain(one, closure) {
		r.add(one, krm.Info, "%s", line)
	}
}

// explain describes how the versions for a request and its dependencies were chosen.
func (r *resolver) explain(one *request, closure []*Chosen) []string {
	own := closure[len(closure)-1]
	asked := r.builder.ask(one.wants, nil)
	w := r.builder.wanted[asked]
	lines := []string{fmt.Sprintf("%q is %s: %s", one.text, own.Image(), r.how(w, own))}
	for i := len(closure) - 2; i >= 0; i-- {
		c := closure[i]
		who := make([]string, len(c.Requirers))
		for i, by := range c.Requirers {
			who[i] = by.String()
		}
		lines = append(lines, fmt.Sprintf("%q needs %s: %s", one.text, c.Image(), strictyaml.FirstOf(who)))
	}
	return lines
}

// how describes how the version of a package was chosen.
func (r *resolver) how(w wanted, c *Chosen) string {
	p := w.target
	if p.locked != nil && p.find(c.Version, c.Digest).locked {
		return fmt.Sprintf("kept by the lock %q", p.locked.by.Name())
	}
	text := strings.Join(w.trace, " -> ") + " -> highest"
	if first := p.releases[w.fits[0]]; first.version != c.Version || first.digest != c.Digest {
		who := make([]string, len(c.Requirers))
		for i, by := range c.Requirers {
			who[i] = by.String()
		}
		text += fmt.Sprintf(" that goes together with the others, not %s: %s",
			shownVersion(first.version), strictyaml.FirstOf(who))
	}
	return text
}

// reportFloating warns of requests whose packages change as soon as a new version is published, since kustomize never
// writes a pin back to the source. Each is reported once, with the lock entries that fix it.
func (r *resolver) reportFloating() {
	severity := krm.Warning
	if r.Strict {
		severity = krm.Error
	}
	for i, one := range r.resolution.Requests {
		own := r.requests[i]
		if one.Closure == nil || !own.kustomize || own.pinned() {
			continue
		}
		var lines []string
		for _, c := range one.Closure {
			p := r.builder.byName[document.ImageRepository(c.Name)]
			pinned := c == one.Closure[len(one.Closure)-1] && (own.wants.digest != "" || pins(own.wants.version))
			if !p.find(c.Version, c.Digest).locked && !pinned {
				lines = append(lines, resolve.PackageLine(lockEntry(c)))
			}
		}
		if len(lines) == 0 {
			continue
		}
		r.add(own, severity, "%q floats (%s), so that a new version would be installed with the next build: pin it, or add to "+
			"spec.packages of a PluginLock beside the requests: %s", own.text, own.by(), strings.Join(lines, " "))
	}
}
