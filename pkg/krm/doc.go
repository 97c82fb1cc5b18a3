// Package krm reads the ResourceList of a KRM function, gives access to its items, and writes it back: items that were not
// changed keep their bytes.
//
// The main type is ResourceList. A function parses one, looks at its items, changes some, reports results, and writes it:
//
//	list, err := krm.Parse(src)
//	for _, item := range list.Items() {
//		if item.Kind() == "Deployment" {
//			item.Annotate("example.com/seen", "true")
//		}
//	}
//	_, err = list.WriteTo(os.Stdout)
//
// Processors that are written for kyaml's package framework run on the same wire with Run.
//
// A list in block style is not parsed as a whole. A scanner finds the bytes of each item, with its apiVersion, kind and
// name; an item's tree is a kyaml RNode that is parsed when somebody asks for it. A changed item is printed anew by
// kyaml's encoder: its fields stay in order and comments are kept, blank lines are not. That makes passing a list through
// more than fifty times faster than parsing it. What the scanner is not sure of is parsed: one item, or the whole list,
// which is printed anew if anything in it changes. JSON is read and written by encoding/json.
package krm
