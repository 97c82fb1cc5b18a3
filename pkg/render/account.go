package render

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// accountID is a ServiceAccount that overlays name.
type accountID struct{ namespace, name string }

// sharedAccount is a ServiceAccount that overlays name, and who uses it: sandboxes in the order of the list, each once.
type sharedAccount struct {
	id accountID
	// plugin is the first one whose steps the account is bound for.
	plugin *krm.Item
	// bound are the sandboxes that have a Role for the account, which allows it to watch and patch their Secrets.
	bound []string
	// holders are the sandboxes whose scripts get a token of the account.
	holders []string
}

// account returns the account of the overlay, which the steps of all sandboxes that use the plugin share.
func (c *compiledPhase) account() accountID { return accountID{c.namespace, c.overlay.Account()} }

// bindsAccount reports whether the phase has a Role for the account of the overlay: see stepAccess.
func (c *compiledPhase) bindsAccount() bool {
	return c.overlay.Account() != "" && slices.ContainsFunc(c.order, func(ref document.StepRef) bool {
		return ref.Phase == c.phase && !c.steps[ref].isPlain()
	})
}

// givesToken reports whether scripts of the phase get a token of the account of the overlay.
func (c *compiledPhase) givesToken() bool {
	return c.overlay.HasToken() && len(c.spec.Workflow(c.phase)) > 0
}

// othersWithToken returns the sandboxes but one whose scripts get a token of the account.
func (a *sharedAccount) othersWithToken(sandbox string) []string {
	return slices.DeleteFunc(slices.Clone(a.holders), func(name string) bool { return name == sandbox })
}

// isShared reports whether scripts of one sandbox get a token that may write Secrets of another.
func (a *sharedAccount) isShared() bool {
	isOwn := len(a.bound) == 1 && slices.Equal(a.bound, a.holders)
	return len(a.bound) > 0 && len(a.holders) > 0 && !isOwn
}

// accounts returns the accounts that overlays name and that are not trusted, in the order of the tasks.
func (p *plan) accounts() (all []*sharedAccount, byID map[accountID]*sharedAccount) {
	byID = map[accountID]*sharedAccount{}
	for i := range p.tasks {
		t := &p.tasks[i]
		id := t.phase.account()
		if id.name == "" || slices.Contains(p.options.TrustedAccounts, id.name) {
			continue
		}
		a := byID[id]
		if a == nil {
			a = &sharedAccount{id: id}
			byID[id], all = a, append(all, a)
		}
		if t.phase.bindsAccount() {
			a.bound = appendNew(a.bound, t.request.Sandbox)
			if a.plugin == nil {
				a.plugin = t.plugin
			}
		}
		if t.phase.givesToken() {
			a.holders = appendNew(a.holders, t.request.Sandbox)
		}
	}
	return all, byID
}

// hasAccounts reports whether scripts use accounts of overlays that are not trusted.
func (p *plan) hasAccounts() bool {
	all, _ := p.accounts()
	return len(all) > 0
}

// appendNew appends the name of the sandbox that is being planned, unless it is there.
func appendNew(names []string, name string) []string {
	if len(names) > 0 && names[len(names)-1] == name {
		return names
	}
	return append(names, name)
}

// checkAccounts warns of accounts by which scripts of one sandbox may write outputs of another. It refuses delete
// phases that scripts of another sandbox may write to: by patching the Secret of a delete step they would mark it as
// done, and the cleanup would remove the outputs while the objects they describe still exist.
func (p *plan) checkAccounts() {
	all, byID := p.accounts()
	for _, a := range all {
		if !a.isShared() {
			continue
		}
		p.reportAccount(krm.At(a.plugin, overlayPath, krm.Warning, fmt.Sprintf("scripts of sandboxes %s get the token of "+
			"ServiceAccount %q in namespace %q, which may read and write the outputs of %s: set "+
			"automountServiceAccountToken: false in the overlay, or list the account in trustedAccounts",
			strictyaml.Listed(a.holders), a.id.name, a.id.namespace, strictyaml.Listed(a.bound))))
	}
	p.tasks = slices.DeleteFunc(p.tasks, func(t task) bool {
		a := byID[t.phase.account()]
		if a == nil || t.phase.phase != v1alpha1.PhaseDelete || !t.phase.bindsAccount() {
			return false
		}
		others := a.othersWithToken(t.request.Sandbox)
		if len(others) == 0 {
			return false
		}
		p.reportAccount(krm.At(t.sandbox.Item, resourcePath(t.index).Key("plugin"), krm.Error, fmt.Sprintf("its delete steps "+
			"must not use ServiceAccount %q in namespace %q, whose token scripts of %s get: they could mark the steps as done. "+
			"Render the delete phase without those sandboxes once their scripts have ended, or list the account in trustedAccounts",
			a.id.name, a.id.namespace, strictyaml.Listed(others))))
		return true
	})
}

func (p *plan) reportAccount(result krm.Result) {
	result.Tags = map[string]string{krm.RuleTag: overlay.RuleAccount}
	p.list.Report(result)
}
