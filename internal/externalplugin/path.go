package externalplugin

import "github.com/resource-plugins/krm-functions/internal/document"

// CheckPath returns what is wrong with the path of a file in a response, empty if nothing is.
func CheckPath(name string) string { return document.CheckUniversePath(name) }
