package kubebuilder

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// rule is a rule that checks an ExternalPlugin, or each of its exchanges.
type rule struct {
	validate.Rule
	plugin   func(*validate.Rule, *externalPlugin)
	exchange func(*validate.Rule, *externalPlugin, exchange)
}

// rules are the rules in the order of the fields.
var rules = []*rule{
	&folderType, &folderName, &folderVersion, &folderProgram, &folderHidden, &folderEntry,
	&exchangeUnique, &messageVersion, &messageCommand, &messageArgs, &responseEcho, &responseError, &flagForm,
	&universePath, &universeProject, &universeUnchanged,
}

// externalPluginsPage is the source of rules without sources.
const externalPluginsPage = "https://book.kubebuilder.io/plugins/extending/external-plugins"

// validation returns the rules as an extension.
func validation() validate.Extension {
	e := validate.Extension{After: "test-timeout", Kinds: []string{v1alpha1.Kind}, Check: check}
	for _, r := range rules {
		described := r.Rule
		described.Kinds, described.Page = e.Kinds, validate.RulesPage+"#"+r.ID
		if described.Sources == nil {
			described.Sources = []string{externalPluginsPage}
		}
		e.Rules = append(e.Rules, &described)
	}
	return e
}

// externalPlugin is an ExternalPlugin being checked.
type externalPlugin struct {
	*validate.Document
	v1alpha1.ExternalPlugin
}

// exchange is a request with its response, and their paths. Missing or unreadable values are empty.
type exchange struct {
	request  v1alpha1.Request
	response v1alpha1.Response

	requestPath, responsePath krm.Path
}

// check checks the ExternalPlugins of a list.
func check(list *krm.ResourceList) (validate.Checked, error) {
	items, err := list.Select(contract.APIVersion, v1alpha1.Kind)
	if err != nil {
		return validate.Checked{}, err
	}
	documents := make([]*validate.Document, len(items))
	krm.Each(len(items), func(i int) { documents[i] = checkPlugin(items[i]) })
	return validate.Checked{Documents: documents, Counts: []validate.Count{{N: len(items), Noun: "external plugin"}}}, nil
}

func checkPlugin(item *krm.Item) *validate.Document {
	var p externalPlugin
	p.Document = validate.Decode(item, &p.Spec)
	for _, r := range rules {
		if r.plugin != nil {
			r.plugin(&r.Rule, &p)
		}
	}
	for i, recorded := range p.Spec.Exchanges {
		path := exchangePath(i)
		e := exchange{requestPath: path.Key("request"), responsePath: path.Key("response")}
		if recorded.Request != nil {
			e.request = *recorded.Request
		}
		if recorded.Response != nil {
			e.response = *recorded.Response
		}
		for _, r := range rules {
			if r.exchange != nil {
				r.exchange(&r.Rule, &p, e)
			}
		}
	}
	return p.Document
}
