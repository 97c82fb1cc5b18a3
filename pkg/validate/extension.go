package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Extension adds rules, and kinds of documents, to those of this package. It is part of Options; a zero field adds nothing.
type Extension struct {
	// Rules are its rules about documents, in the order in which they are listed.
	Rules []*Rule
	// After is the id of the rule that its rules follow in lists; the last one if it is empty.
	After string
	// FileRules are its rules about what cannot be read as a document. Those who read files check them.
	FileRules []*Rule
	// Kinds are the kinds of the group resourceplugins.dev that it reads: other kinds of that group are reported if they seem
	// misspelled, and comments in documents of these kinds may suppress findings.
	Kinds []string
	// Check checks the documents of a list that the extension knows, and does not change them. The error is about a document
	// that cannot be parsed.
	Check func(list *krm.ResourceList) (Checked, error)
}

// Checked is what an extension has checked.
type Checked struct {
	// Documents have what was found.
	Documents []*Document
	// Counts are for summaries; the documents that others count are left out.
	Counts []Count
}
