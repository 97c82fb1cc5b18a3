package sandbox

import (
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// expression fills in what of a fork is known: `{{ .Service.Host }}` and `{{ .Service.Port }}`, the two that the vendor's
// page on service references has.
func (b *bench) expression(f *v1alpha1.ForkExpression, at krm.Path) (string, bool) {
	address, ok := b.Fork(f.ForkOf)
	if !ok {
		b.report(at.Key("forkOf"), krm.Error,
			"%s %q of namespace %q must have a Service in front of it, in the list, to be reached",
			f.ForkOf.Kind, f.ForkOf.Name, f.ForkOf.Namespace)
		return "", false
	}
	var out strings.Builder
	rest := f.Expression
	for {
		text, action, found := strings.Cut(rest, "{{")
		out.WriteString(text)
		if !found {
			return out.String(), true
		}
		inner, after, closed := strings.Cut(action, "}}")
		switch strings.TrimSpace(inner) {
		case ".Service.Host":
			out.WriteString(address.Host)
		case ".Service.Port":
			out.WriteString(strconv.Itoa(address.Port))
		default:
			closed = false
		}
		if !closed {
			b.report(at.Key("expression"), krm.Error,
				"must hold {{ .Service.Host }} and {{ .Service.Port }} and no other expression, not %q", f.Expression)
			return "", false
		}
		rest = after
	}
}
