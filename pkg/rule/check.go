package rule

import (
	"runtime"
	"sync"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

// Report is what a check found.
type Report struct {
	// Plugins and Sandboxes are how many documents of each kind were checked.
	Plugins, Sandboxes int
	// Results are the findings, sorted, each once.
	Results krm.Results
}

// Check checks the plugins and sandboxes of a list, whatever their local-config says, and leaves the list as it is. An
// error means that a document could not be parsed. The outcome does not depend on the number of cores.
func Check(list *krm.ResourceList, levels Levels) (Report, error) {
	plugins, err := list.Select(contract.APIVersion, contract.ResourcePlugin)
	if err != nil {
		return Report{}, err
	}
	sandboxes, err := list.Select(contract.APIVersion, contract.Sandbox)
	if err != nil {
		return Report{}, err
	}
	across := &acrossCheck{plugins: make([]*pluginCheck, len(plugins)), sandboxes: make([]*sandboxCheck, len(sandboxes))}
	spread(len(plugins), func(i int) { across.plugins[i] = checkPlugin(plugins[i]) })
	spread(len(sandboxes), func(i int) { across.sandboxes[i] = checkSandbox(sandboxes[i]) })
	across.run()
	report := Report{Plugins: len(plugins), Sandboxes: len(sandboxes), Results: misfits(list, levels)}
	for _, c := range across.plugins {
		report.Results = append(report.Results, c.results(levels)...)
	}
	for _, c := range across.sandboxes {
		report.Results = append(report.Results, c.results(levels)...)
	}
	report.Results = report.Results.Sort()
	return report, nil
}

func checkPlugin(item *krm.Item) *pluginCheck {
	p, problems := plugin.Read(item)
	c := &pluginCheck{Plugin: p, check: newCheck(item, problems)}
	for _, r := range Rules {
		if r.plugin != nil {
			c.rule = r
			r.plugin(c)
		}
	}
	return c
}

func checkSandbox(item *krm.Item) *sandboxCheck {
	s, problems := sandbox.Read(item)
	c := &sandboxCheck{Sandbox: s, check: newCheck(item, problems)}
	for _, r := range Rules {
		if r.sandbox != nil {
			c.rule = r
			r.sandbox(c)
		}
	}
	return c
}

func (c *acrossCheck) run() {
	for _, c.rule = range Rules {
		if c.rule.plugins != nil {
			c.rule.plugins(c)
		}
		if c.rule.sandboxes != nil {
			c.rule.sandboxes(c)
		}
	}
}

// spread runs do for 0 to n-1 on all cores.
func spread(n int, do func(int)) {
	const chunk = 16
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		wait.Go(func() {
			for from := range next {
				for i := from; i < min(from+chunk, n); i++ {
					do(i)
				}
			}
		})
	}
	for from := 0; from < n; from += chunk {
		next <- from
	}
	close(next)
	wait.Wait()
}
