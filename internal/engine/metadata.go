package engine

import "maps"

// Merged returns the entries of both maps. Those of b take precedence.
func Merged(a, b map[string]string) map[string]string {
	if len(a) == 0 {
		return b
	}
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
