// Package plugintest tests plugins on this machine. A Suite holds the PluginTest documents of a list, and Run runs them:
//
//	suite, err := plugintest.New(list, plugintest.Options{Chain: build.New()})
//	result, err := suite.Run(ctx, plugintest.Machine{Engine: engine})
//	err = result.Write(os.Stdout, report.Text, report.Style{})
//
// A case is run in several rounds, each of which creates and deletes one sandbox resource. The first round does so as the
// case describes, and runs each phase twice. Each of the other rounds kills a step of the create phase: halfway, or at its
// end, when it has done everything but published nothing. A round has its own fixtures and state, so that rounds do not
// affect each other. Rounds of a case run in sequence, since scripts name objects after the sandbox: it is named after the
// case, in a cluster named after the test.
//
// Phases are rendered by package build and run by package localrun, so that a test runs the objects that would be applied.
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
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Machine is the environment of tests.
type Machine struct {
	// Engine returns an engine for a round, which closes it. The network is for the containers of the round; it may be
	// empty.
	Engine func(ctx context.Context, network string) (localrun.Engine, error)
	// Containers is the program for containers of fixtures, docker or podman; empty if the machine has neither.
	Containers string
	// Networked means that steps run in containers, and so reach fixtures in the network of their round.
	Networked bool
	// Environment is the environment of check scripts, and of fixtures on this machine.
	Environment []string
	// Parallel is the number of cases that run at once; 0 means one.
	Parallel int
}

// Options select and configure tests.
type Options struct {
	// Chain renders the phases.
	Chain build.Chain
	// Select matches cases by TEST/CASE, and the checks of the plugin itself by TEST; nil means all.
	Select *regexp.Regexp
	// Seed is the seed of random delays.
	Seed uint64
	// Keep is the folder in which the containers and folders of steps that must not fail are kept; empty for none.
	Keep string
	// Observe is called for each change of a case, but never concurrently; it may be nil. In events, the resource is the
	// test, and the step is the case. The message is the current check, or the failed ones.
	Observe func(localrun.Event)
}

// Suite holds the tests of a list.
type Suite struct {
	options Options
	machine Machine
	tests   []*test
	// documents are the documents for rendering cases: plugins, catalogs and locks, Secrets and ConfigMaps. Each round
	// parses them again.
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
	shared sharedFixtures
}

// New reads the tests of a list, which it validates. Errors in documents are results of the list; then there is no suite.
// The error is about options, or means that the list has no tests.
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

// validate validates the documents, and stores the findings about unread inputs.
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

// add adds a document.
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

// Run runs the tests. Failures are in the report. The error is the reason why the tests ended early: the cause of ctx, or a
// failure to create temporary files.
func (s *Suite) Run(ctx context.Context, machine Machine) (*Report, error) {
	s.machine = machine
	_ = localrun.RemoveFolders(os.TempDir(), os.RemoveAll) // on errors, folders are left to the user
	folder, _, err := localrun.MakeFolder(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var runs []*caseRun
	report := &Report{}
	for _, t := range s.tests {
		tested := &TestReport{Name: t.Name, Plugin: t.plugin.Name, File: t.Item.PlaceOf("").File, test: t}
		if s.selects(t.Name) {
			tested.static = s.static(t)
		}
		for i := range t.Spec.Cases {
			if name := t.Name + "/" + t.Spec.Cases[i].Name; s.selects(name) {
				r := &caseRun{suite: s, test: t, testCase: &t.Spec.Cases[i], folder: folder, took: map[string]time.Duration{}}
				runs, tested.cases = append(runs, r), append(tested.cases, r)
			}
		}
		if len(tested.static)+len(tested.cases) > 0 {
			report.Tests = append(report.Tests, tested)
		}
	}
	for _, r := range runs {
		r.observe(localrun.Waiting, "")
	}
	s.runAll(ctx, runs)
	for _, t := range s.tests {
		if err := t.shared.stop(); err != nil {
			return nil, err
		}
	}
	for _, tested := range report.Tests {
		tested.Checks = tested.static
		for _, r := range tested.cases {
			tested.Checks = append(tested.Checks, r.checks...)
		}
	}
	report.count()
	return report, context.Cause(ctx)
}

// runAll runs cases, several at once.
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

// errNoPlugin is the error for a reference that no plugin of the list satisfies.
var errNoPlugin = errors.New("the plugin must be among the documents")
