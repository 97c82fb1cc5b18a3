// Package renderdiff compares two renders in the terms of the domain: which sandboxes are added and removed, which steps
// run again and why, which versions change, which Secrets a different step publishes to, and which forks and routes change.
// Its main types are Side and Report:
//
//	before := renderdiff.NewSide("main", oldObjects, oldDocuments)
//	after := renderdiff.NewSide(".", newObjects, newDocuments)
//	report, err := renderdiff.Compare(before, after, renderdiff.Options{})
//	err = report.Write(os.Stdout, renderdiff.Markdown)
//
// A side is rendered objects, or those that a cluster has (NewLiveSide). Their labels and annotations are compared: a step
// with the same generation does not run again if it publishes outputs, even if other parts of its Job changed. The
// reasons for a different generation are found in the Pod template: see comparison.
//
// Objects with the same bytes on both sides are not parsed, so that few changes among many sandboxes cost little more than
// the two renders. Values of Secrets are never decoded.
package renderdiff

import (
	"crypto/sha256"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options are options of Compare.
type Options struct {
	// ShowValues puts the values of params into the report, which may be passwords.
	ShowValues bool
}

// Compare compares two sides. The error is that of an object that cannot be decoded.
func Compare(before, after *Side, options Options) (*Report, error) {
	same, olds, news, err := differing(before.items, after.items)
	if err != nil {
		return nil, err
	}
	c := &compare{
		options: options, unchanged: same, report: &Report{Before: before.name, After: after.name},
		changed: map[string]*sandboxChange{}, rendering: map[Rendering]int{}, versions: map[Version]map[[2]string]bool{},
	}
	c.report.compare = c
	if c.before, err = newState(before, olds, same); err != nil {
		return nil, err
	}
	if c.after, err = newState(after, news, same); err != nil {
		return nil, err
	}
	c.limit(c.before, c.after)
	c.limit(c.after, c.before)
	c.before.sort()
	c.after.sort()
	c.steps()
	c.helpers()
	c.secrets()
	c.rest()
	if err := c.sandboxes(); err != nil {
		return nil, err
	}
	c.addCounts()
	c.report.finish()
	return c.report, nil
}

// compare is one comparison.
type compare struct {
	options       Options
	before, after *state
	unchanged     []*krm.Item
	report        *Report
	changed       map[string]*sandboxChange // by lower-cased name
	rendering     map[Rendering]int
	versions      map[Version]map[[2]string]bool // by sandbox and resource
}

// differing separates the items with the same bytes on both sides.
func differing(before, after []*krm.Item) (same, olds, news []*krm.Item, err error) {
	oldSums, err := sums(before)
	if err != nil {
		return nil, nil, nil, err
	}
	newSums, err := sums(after)
	if err != nil {
		return nil, nil, nil, err
	}
	count := make(map[[sha256.Size]byte]int, len(before))
	for _, sum := range oldSums {
		count[sum]++
	}
	shared := make(map[[sha256.Size]byte]int, len(before))
	for i, sum := range newSums {
		if count[sum] > shared[sum] {
			shared[sum]++
			same = append(same, after[i])
			continue
		}
		news = append(news, after[i])
	}
	for i, sum := range oldSums {
		if shared[sum] > 0 {
			shared[sum]--
			continue
		}
		olds = append(olds, before[i])
	}
	return same, olds, news, nil
}

// sums returns the hashes of items.
func sums(items []*krm.Item) ([][sha256.Size]byte, error) {
	all := make([][sha256.Size]byte, len(items))
	errs := make([]error, len(items))
	krm.Each(len(items), func(i int) {
		var text []byte
		if text, errs[i] = items[i].Bytes(); errs[i] == nil {
			all[i] = sha256.Sum256(text)
		}
	})
	for i, err := range errs {
		if err != nil {
			return nil, decodeError(items[i], err)
		}
	}
	return all, nil
}
