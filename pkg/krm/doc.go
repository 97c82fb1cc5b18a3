// Package krm reads and writes the ResourceLists of KRM functions. Items that do not change keep their bytes.
//
// The main type is ResourceList. A function parses one, inspects and changes its items, reports results, and writes it:
//
//	list, err := krm.Parse(src)
//	for _, item := range list.Items() {
//		if item.Kind() == "Deployment" {
//			item.Annotate("example.com/seen", "true")
//		}
//	}
//	_, err = list.WriteTo(os.Stdout)
//
// Run runs processors that are written for kyaml's framework package.
//
// A list in block style is not parsed as a whole. A scanner finds the bytes of each item, with its apiVersion, kind and
// name; an item's tree is a kyaml RNode that is parsed on first use. A changed item is printed by kyaml's encoder: its
// fields stay in order and comments are kept, blank lines are not. Passing a list through is thus more than fifty times
// faster than parsing it. Where the scanner is not sure, one item or the whole list is parsed; a list that is parsed as
// a whole is printed again if anything in it changes. JSON is read and written by encoding/json.
package krm
