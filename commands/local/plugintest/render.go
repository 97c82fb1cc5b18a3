package plugintest

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func folderOf(item *krm.Item) string {
	file := item.PlaceOf("").File
	if file == "" {
		return "."
	}
	return filepath.Dir(filepath.FromSlash(file))
}

// sandbox returns the sandbox of a case. It is named after the case, and its cluster after the test, so its id is unique.
func (t *test) sandbox(testCase *v1alpha1.TestCase, params map[string]string) (*krm.Item, error) {
	resource := map[string]any{"name": t.resourceName(), "plugin": t.Spec.Plugin}
	if len(params) > 0 {
		resource["params"] = params
	}
	return newItem(map[string]any{
		"apiVersion": contract.APIVersion, "kind": contract.Sandbox, "metadata": map[string]any{"name": testCase.Name},
		"spec": map[string]any{"cluster": t.Name, "resources": []any{resource}},
	})
}

// resourceName returns the bare name of the plugin, shortened to a valid name of a resource.
func (t *test) resourceName() string {
	reference, err := document.ParsePluginReference(t.Spec.Plugin)
	if err != nil {
		return ""
	}
	name := reference.Bare[:min(len(reference.Bare), document.MaxIdentifier)]
	return strings.TrimRight(name, "-")
}

func newItem(value any) (*krm.Item, error) {
	text, err := yaml.Marshal(value)
	if err != nil {
		return nil, err
	}
	return krm.NewItem(text)
}

// list returns the documents with a sandbox of a case.
func (s *Suite) list(t *test, testCase *v1alpha1.TestCase, params map[string]string) (*krm.ResourceList, error) {
	sandbox, err := t.sandbox(testCase, params)
	if err != nil {
		return nil, err
	}
	list := krm.NewList(sandbox)
	for _, text := range s.documents {
		item, err := krm.NewItem(text)
		if err != nil {
			return nil, err
		}
		list.Append(item)
	}
	return list, nil
}

// resolve finds the plugin of each test as package resolve does, with the catalogs and locks of the list.
func (s *Suite) resolve(list *krm.ResourceList) error {
	for _, t := range s.tests {
		own, err := s.list(t, &v1alpha1.TestCase{Name: "test"}, nil)
		if err != nil {
			return err
		}
		if _, err := resolve.Resolve(own, resolve.Options{ResolveVersion: s.options.Chain.Resolve}); err != nil {
			return err
		}
		if results := own.Results(); results.Failed() {
			for _, result := range results {
				if result.Severity == krm.Error {
					list.Report(krm.At(t.Item, "spec.plugin", krm.Error, result.Message))
				}
			}
			continue
		}
		sandbox, _ := document.ReadSandbox(own.Items()[0])
		if t.plugin = pinned(list, sandbox.Spec.Resources[0].Plugin); t.plugin == nil {
			list.Report(krm.At(t.Item, "spec.plugin", krm.Error, errNoPlugin.Error()))
		}
	}
	return nil
}

// pinned returns the plugin of a list that a pin refers to, or nil.
func pinned(list *krm.ResourceList, pin string) *document.Plugin {
	wanted, err := document.ParsePluginName(pin)
	if err != nil {
		return nil
	}
	for _, item := range list.Of(contract.APIVersion, contract.ResourcePlugin) {
		plugin, _ := document.ReadPlugin(item)
		name, err := document.ParsePluginName(plugin.Name)
		if err == nil && name.Bare == wanted.Bare && name.Version.Compare(wanted.Version) == 0 {
			return plugin
		}
	}
	return nil
}

// render returns the objects for running a phase of a case: the Secrets of the test, the rendered objects, and the Secrets
// and ConfigMaps of the list.
func (l *round) render(phase v1alpha1.Phase) ([]*krm.Item, error) {
	params := l.params()
	list, err := l.suite.list(l.test, l.testCase, params)
	if err != nil {
		return nil, err
	}
	objects, err := l.secrets()
	if err != nil {
		return nil, err
	}
	request := localrun.Request{Plugin: l.test.Spec.Plugin, Sandbox: l.testCase.Name, Params: params, Phase: phase}
	rendered, err := localrun.Render(list, request, l.suite.options.Chain)
	var found report.FindingsError
	if errors.As(err, &found) {
		for _, result := range list.Results() {
			if result.Severity == krm.Error {
				err = fmt.Errorf("it cannot be rendered: %s", result.Message)
			}
		}
	}
	return append(objects, rendered...), err
}

// secrets returns the Secrets of the test.
func (l *round) secrets() ([]*krm.Item, error) {
	var items []*krm.Item
	for _, secret := range l.test.Spec.Secrets {
		object := corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: secret.Name},
			StringData: maps.Clone(secret.Data),
		}
		if object.StringData == nil {
			object.StringData = map[string]string{}
		}
		for _, value := range secret.FixtureData {
			object.StringData[value.Name] = l.fixtureValue(value)
		}
		item, err := newItem(object)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// params returns the params of the case.
func (l *round) params() map[string]string {
	params := map[string]string{}
	maps.Copy(params, l.testCase.Params)
	for _, value := range l.testCase.FixtureParams {
		params[value.Name] = l.fixtureValue(value)
	}
	return params
}
