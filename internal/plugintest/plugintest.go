// Package plugintest tests plugins on this machine. A Suite holds the PluginTest documents of a list, and Run runs them:
//
//	suite, err := plugintest.New(list, plugintest.Options{Chain: build.New()})
//	result, err := suite.Run(ctx, plugintest.Machine{Engine: engine})
//	err = result.Write(os.Stdout, report.Text, report.Style{})
//
// A case is run as several lives of one sandbox resource. The first life creates and deletes it, as the case says, and each
// phase runs twice. In each of the other lives a step of the create phase is killed: halfway, and at its end, when it has
// done everything and published nothing. A life has fixtures and a state of its own, so that nothing of another one is in
// its way. Lives of a case run one after the other, since scripts name things after the sandbox: it is that of the case, in
// a cluster with the name of the test.
//
// Phases are rendered by package build and run by package localrun, so that a test runs what would be applied.
package plugintest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/owner"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Machine is where tests run.
type Machine struct {
	// Engine returns an engine for one life, which closes it. The network is that of the life's containers, empty if it has
	// none.
	Engine func(ctx context.Context, network string) (localrun.Engine, error)
	// Containers is the program that runs containers of fixtures: docker or podman; empty if the machine has none.
	Containers string
	// Networked reports whether steps run in containers, and so reach fixtures in the network of their life.
	Networked bool
	// Environment is that of check scripts and of fixtures on this machine.
	Environment []string
	// Parallel is how many cases run at once; 0 means one.
	Parallel int
}

// Options say what is tested.
type Options struct {
	// Chain renders.
	Chain build.Chain
	// Select chooses cases by TEST/CASE, and the checks of the plugin itself by TEST; nil means all.
	Select *regexp.Regexp
	// Observe is called for each change of a case, by one goroutine at a time; it may be nil. The resource of an event is the
	// test, and the step is the case. The message has the check that runs, or those that have failed.
	Observe func(localrun.Event)
}

// Suite is the tests of a list.
type Suite struct {
	options Options
	machine Machine
	tests   []*test
	// documents are what cases are rendered from: plugins, catalogs and locks, Secrets and ConfigMaps. Each life parses them
	// anew.
	documents [][]byte
	// sandboxes are all sandboxes of the list, which may read outputs.
	sandboxes []*document.Sandbox
	// unread are the findings of package validate about inputs that no script reads, by the plugin's item.
	unread map[*krm.Item][]string

	mu sync.Mutex // held while options.Observe is called
}

// test is a PluginTest with its plugin.
type test struct {
	*document.PluginTest
	plugin *document.Plugin
	folder string // of the document's file
}

// New reads the tests of a list, which it validates. What is wrong with a document is a result of the list: there is no
// suite then. The error is about options, or says that there is nothing to run.
func New(list *krm.ResourceList, options Options) (*Suite, error) {
	s := &Suite{options: options, unread: map[*krm.Item][]string{}}
	if err := s.validate(list); err != nil || list.Results().Failed() {
		return nil, err
	}
	for _, item := range list.Items() {
		if err := s.add(item); err != nil {
			return nil, err
		}
	}
	if len(s.tests) == 0 {
		return nil, fmt.Errorf("there is nothing to test: the documents must have a %s", contract.PluginTest)
	}
	if err := s.resolve(list); err != nil || list.Results().Failed() {
		return nil, err
	}
	if options.Select != nil && !s.selectsAny() {
		return nil, fmt.Errorf("no test matches %q: the names are those of tests, and TEST/CASE", options.Select)
	}
	return s, nil
}

// validate reports what is wrong with the documents, and keeps what is known of inputs.
func (s *Suite) validate(list *krm.ResourceList) error {
	found, err := validate.Check(list, s.options.Chain.Validate)
	if err != nil {
		return err
	}
	kept, _ := validate.Suppress(list, found.Results, s.options.Chain.Validate)
	byRef := map[krm.ResourceRef]*krm.Item{}
	for _, item := range list.Items() {
		byRef[item.Ref()] = item
	}
	for _, result := range kept {
		if result.Severity == krm.Error {
			list.Report(result)
		}
		if result.Tags[krm.RuleTag] == validate.RuleInputUnread && result.ResourceRef != nil {
			item := byRef[*result.ResourceRef]
			s.unread[item] = append(s.unread[item], result.Field.Path+": "+result.Message)
		}
	}
	return nil
}

// add takes a document.
func (s *Suite) add(item *krm.Item) error {
	switch item.APIVersion() + "/" + item.Kind() {
	case contract.APIVersion + "/" + contract.PluginTest:
		read, _ := document.ReadPluginTest(item)
		s.tests = append(s.tests, &test{PluginTest: read, folder: folderOf(item)})
	case contract.APIVersion + "/" + contract.Sandbox:
		read, _ := document.ReadSandbox(item)
		s.sandboxes = append(s.sandboxes, read)
	case contract.APIVersion + "/" + contract.ResourcePlugin, contract.APIVersion + "/" + contract.Catalog,
		contract.APIVersion + "/" + contract.PluginLock, "v1/Secret", "v1/ConfigMap":
		text, err := item.Bytes()
		if err != nil {
			return err
		}
		s.documents = append(s.documents, text)
	}
	return nil
}

func (s *Suite) selects(name string) bool {
	return s.options.Select == nil || s.options.Select.MatchString(name)
}

func (s *Suite) selectsAny() bool {
	for _, t := range s.tests {
		selectsCase := func(c v1alpha1.TestCase) bool { return s.selects(t.Name + "/" + c.Name) }
		if s.selects(t.Name) || slices.ContainsFunc(t.Spec.Cases, selectsCase) {
			return true
		}
	}
	return false
}

// Run runs the tests. What fails is in the report; the error says what has ended the tests early: the cause of ctx, or that
// this machine has no room for temporary files.
func (s *Suite) Run(ctx context.Context, machine Machine) (*Report, error) {
	s.machine = machine
	_ = owner.RemoveFolders(os.TempDir(), os.RemoveAll) // what cannot be removed is left to the user
	folder, _, err := owner.MakeFolder(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var runs []*caseRun
	report := &Report{}
	for _, t := range s.tests {
		one := &TestReport{Name: t.Name, Plugin: t.plugin.Name, File: t.Item.PlaceOf("").File, test: t}
		if s.selects(t.Name) {
			one.static = s.static(t)
		}
		for i := range t.Spec.Cases {
			if name := t.Name + "/" + t.Spec.Cases[i].Name; s.selects(name) {
				r := &caseRun{suite: s, test: t, one: &t.Spec.Cases[i], folder: folder, took: map[string]time.Duration{}}
				runs, one.cases = append(runs, r), append(one.cases, r)
			}
		}
		if len(one.static)+len(one.cases) > 0 {
			report.Tests = append(report.Tests, one)
		}
	}
	for _, r := range runs {
		r.observe(localrun.Waiting, "")
	}
	s.runAll(ctx, runs)
	for _, one := range report.Tests {
		one.Checks = one.static
		for _, r := range one.cases {
			one.Checks = append(one.Checks, r.checks...)
		}
	}
	report.count()
	return report, context.Cause(ctx)
}

// runAll runs cases, some at once.
func (s *Suite) runAll(ctx context.Context, runs []*caseRun) {
	var group sync.WaitGroup
	next := make(chan *caseRun)
	for range max(1, s.machine.Parallel) {
		group.Go(func() {
			for r := range next {
				r.all(ctx)
			}
		})
	}
	for _, r := range runs {
		if ctx.Err() != nil {
			break
		}
		next <- r
	}
	close(next)
	group.Wait()
}

// errNoPlugin is what a reference gives that no plugin of the list satisfies.
var errNoPlugin = errors.New("the plugin must be among the documents")
