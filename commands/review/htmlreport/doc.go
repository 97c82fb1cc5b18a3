// Package htmlreport writes a page about documents and their rendered objects: sandboxes with their resources, forks
// and routes, plugins with diagrams of their steps, findings with source lines, and the objects to be applied. Its main
// type is Page:
//
//	text, err := htmlreport.Page{Report: found, Objects: objects}.HTML()
//
// It only displays: findings and objects are those of package build. The page is one file that loads nothing else; a
// Content-Security-Policy allows only its own style sheet and script, by their hashes. Documents are untrusted:
// html/template escapes all their texts, and names in links are made of letters, digits and dashes.
//
// Values that may be passwords are hidden unless they are asked for (values.go): params, literal values of variables, and
// Secrets, wherever they are shown.
package htmlreport
