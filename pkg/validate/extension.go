package validate

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Extension adds rules, and kinds of documents, to those of this package. It is part of Options; a zero field adds nothing.
type Extension struct {
	// Rules are its rules about documents, in the order of lists.
	Rules []*Rule
	// After is the id of the rule before its rules in lists. By default they are at the end.
	After string
	// FileRules are its rules about files that cannot be read as documents. Callers that read files check them.
	FileRules []*Rule
	// Kinds are its kinds in the group resourceplugins.dev: other kinds in that group are reported if they seem misspelled,
	// and comments in documents of these kinds may suppress findings.
	Kinds []string
	// Check checks the extension's documents in a list, and does not change them. The error is about a document that cannot
	// be parsed.
	Check func(list *krm.ResourceList) (Checked, error)
}

// Checked is the result of Extension.Check.
type Checked struct {
	// Documents have the findings.
	Documents []*Document
	// Counts are for summaries. Documents that are already counted elsewhere are not included.
	Counts []Count
}
