package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/pkg/render"
)

// jobLike has a value of each kind.
type jobLike struct {
	corev1.ConfigMap `json:",inline"`

	Spec map[string]any `json:"spec"`
}

func job() render.Manifest {
	value := &jobLike{ConfigMap: *object(one, "a").(*corev1.ConfigMap), Spec: map[string]any{
		"args": []string{"first", "3", "first"}, "backoffLimit": 3, "suspend": false,
	}}
	value.Kind = "Job"
	return value
}

// An object that is only written in another way stays as it came, byte for byte; one with other values becomes the
// rendered object.
func TestWhatAnObjectSaysCounts(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), job())
	const args = "args: [first, \"3\", first]"
	const limit = "backoffLimit: 3"
	block := func(lines ...string) string { return strings.Join(lines, "\n    ") }
	written := block("args:", "- first", "- \"3\"", "- first", limit)
	require.Contains(t, first, written)
	for name, c := range map[string]struct {
		with string
		same bool
	}{
		"a flow list":          {block(args, limit), true},
		"another order":        {block(limit, args), true},
		"quotes":               {block("args: ['first', '3', \"first\"]", limit), true},
		"comments":             {block("# why", args, limit+" # three"), true},
		"an alias":             {block("args: [&a first, '3', *a]", limit), true},
		"another number":       {block(args, "backoffLimit: 4"), false},
		"a text for a number":  {block(args, "backoffLimit: '3'"), false},
		"a list for a number":  {block(args, "backoffLimit: [3]"), false},
		"a number for a text":  {block("args: [first, 3, first]", limit), false},
		"another element":      {block("args: [first, '3', last]", limit), false},
		"an element more":      {block("args: [first, '3', first, x]", limit), false},
		"an element less":      {block("args: [first, '3']", limit), false},
		"a text for a list":    {block("args: first", limit), false},
		"a map for a list":     {block("args: {first: '3'}", limit), false},
		"a field more":         {block(args, limit, "parallelism: 2"), false},
		"a field less":         {args, false},
		"a null for a field":   {block(args, "backoffLimit: null"), false},
		"another, by an alias": {block("args: [&a first, '3', first]", "backoffLimit: *a"), false},
	} {
		changed := strings.Replace(first, written, c.with, 1)
		got, list := settle(t, changed, owner(true), job())
		want := first
		if c.same {
			want = changed
		}
		assert.Equal(t, want, got, name)
		assert.Empty(t, list.Results(), name)
	}
	const id, note = "config.k8s.io/id: \"7\"", "resourceplugins.dev/phase: create"
	for name, changed := range map[string]string{
		"an orchestrator's key in data":   strings.Replace(first, "k: a\n", "k: a\n    "+id+"\n", 1),
		"an orchestrator's key in spec":   strings.Replace(first, limit, limit+"\n    "+id, 1),
		"an orchestrator's key on top":    strings.Replace(first, "  data:\n", "  "+id+"\n  data:\n", 1),
		"an orchestrator's label":         strings.Replace(first, "  metadata:\n", "  metadata:\n    labels: {"+id+"}\n", 1),
		"an orchestrator's key beside":    strings.Replace(first, "  metadata:\n", "  metadata:\n    "+id+"\n", 1),
		"an orchestrator's key in a list": strings.Replace(first, written, block("args: [first, '3', {"+id+"}]", limit), 1),
		"a text for a map":                strings.Replace(first, "data:\n    k: a\n", "data: k\n", 1),
		"a text for a flag":               strings.Replace(first, "suspend: false", "suspend: \"false\"", 1),
	} {
		require.NotEqual(t, first, changed, name)
		got, _ := settle(t, changed, owner(true), job())
		assert.Equal(t, first, got, name)
	}
	for _, theirs := range []string{id, "config.k8s.io/id: 7", "internal.config.kubernetes.io/x: {a: b}"} {
		annotated := strings.Replace(first, note, note+"\n      "+theirs, 1)
		require.NotEqual(t, first, annotated, theirs)
		got, _ := settle(t, annotated, owner(true), job())
		assert.Equal(t, annotated, got, "an orchestrator's annotation")
	}
}
