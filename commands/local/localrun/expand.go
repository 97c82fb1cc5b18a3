package localrun

import "strings"

// expand replaces $(NAME) as the kubelet does: $$ becomes $, and unknown names are not replaced
// (https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/).
func expand(text string, known map[string]string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		out.WriteString(before)
		switch {
		case !found:
			return out.String()
		case after == "":
			out.WriteByte('$')
			return out.String()
		case after[0] == '$':
			out.WriteByte('$')
			text = after[1:]
			continue
		case after[0] != '(':
			out.WriteByte('$')
			text = after
			continue
		}
		name, rest, closed := strings.Cut(after[1:], ")")
		value, isKnown := known[name]
		switch {
		case !closed:
			out.WriteString("$(")
			text = after[1:]
		case isKnown:
			out.WriteString(value)
			text = rest
		default:
			out.WriteString("$(" + name + ")")
			text = rest
		}
	}
}
