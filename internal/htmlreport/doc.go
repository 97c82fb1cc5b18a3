// Package htmlreport writes a page about documents and what they become: sandboxes with their resources, forks and routes,
// plugins with the picture of their steps, findings with the lines that they are about, and the objects to be applied. Its
// main type is Page:
//
//	text, err := htmlreport.Page{Report: found, Objects: objects}.HTML()
//
// It decides nothing: findings and objects are those of package build. The page is one file that loads nothing else; a
// Content-Security-Policy allows its own style sheet and script alone, by their hashes. Documents are untrusted:
// html/template escapes every text of theirs, and names in links are made of letters, digits and dashes.
//
// Values that may be passwords are hidden unless they are asked for (values.go): params, literal values of variables, and
// Secrets, wherever they are shown.
package htmlreport
