package render_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const (
	empty = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	one   = "one-aaaaaaaaaaaa"
	two   = "two-bbbbbbbbbbbb"
)

func object(name, data string) render.Manifest {
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Annotations: map[string]string{
				contract.PhaseKey: "create", contract.RenderedByKey: "us", contract.SandboxKey: "s",
			},
			Name: name, Namespace: "ns",
		},
		Data:      map[string]string{"k": data},
		Immutable: new(true),
	}
}

var kinds = []string{"ConfigMap", "Deployment", "Job"}

func owner(owns bool) render.Owner {
	return render.Owner{Name: "us", Owns: func(_, _ string) bool { return owns }, Kinds: kinds}
}

// settle renders the objects into a list and returns the list as it is written.
func settle(t *testing.T, list string, owner render.Owner, objects ...render.Manifest) (string, *krm.ResourceList) {
	t.Helper()
	parsed, err := krm.Parse([]byte(list))
	require.NoError(t, err)
	v := render.NewReconciler(parsed, owner)
	for i, object := range objects {
		change, err := v.Put(object, "rendered/s/r-create.yaml", i)
		require.NoError(t, err)
		v.Apply([]render.Change{change})
	}
	v.RemoveRest()
	var out bytes.Buffer
	_, err = parsed.WriteTo(&out)
	require.NoError(t, err)
	return out.String(), parsed
}

func TestTwiceIsOnce(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), object(one, "a"), object(two, "b"))
	second, list := settle(t, first, owner(true), object(one, "a"), object(two, "b"))
	assert.Equal(t, first, second)
	assert.Len(t, list.Items(), 2)
	assert.Empty(t, list.Results())
	assert.Contains(t, first, "internal.config.kubernetes.io/index: \"1\"")
}

func TestWhatChangedIsReplacedInItsPlace(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), object(one, "a"), object(two, "b"))
	first = strings.Replace(first, "internal.config.kubernetes.io/index: \"0\"",
		"config.k8s.io/id: \"7\"\n      internal.config.kubernetes.io/index: \"0\"", 1)
	second, list := settle(t, first, owner(true), object(one, "changed"), object(two, "b"))
	require.Len(t, list.Items(), 2)
	assert.Equal(t, one, list.Items()[0].Name())
	id, _ := list.Items()[0].Annotation("config.k8s.io/id")
	assert.Equal(t, "7", id, "kpt finds comments by it")
	assert.Equal(t, strings.Replace(first, "k: a\n", "k: changed\n", 1), second)
}

func TestWhatMovedIsReplaced(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), object(one, "a"))
	_, list := settle(t, first, owner(true), object(two, "b"), object(one, "a"))
	index, _ := list.Items()[0].Annotation("internal.config.kubernetes.io/index")
	assert.Equal(t, one, list.Items()[0].Name())
	assert.Equal(t, "1", index)
}

func TestWhatIsNotRenderedAnyMoreIsRemoved(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), object(one, "a"), object(two, "b"))
	_, list := settle(t, first, owner(true), object(one, "a"))
	require.Len(t, list.Items(), 1)
	require.Len(t, list.Results(), 1)
	assert.Equal(t, "removed: it is not rendered any more", list.Results()[0].Message)
	assert.Equal(t, krm.Info, list.Results()[0].Severity)
	assert.Equal(t, two, list.Results()[0].ResourceRef.Name)
}

func TestWhatOthersOwnIsLeftAlone(t *testing.T) {
	t.Parallel()
	first, _ := settle(t, empty, owner(true), object(one, "a"))
	them := owner(true)
	them.Name = "them"
	const elsewhere = "functionConfig:\n  apiVersion: v1\n  kind: X\n  metadata:\n    name: x\n" +
		"    annotations:\n      internal.config.kubernetes.io/package-path: /p\n"
	for name, c := range map[string]struct {
		owner  render.Owner
		config string
	}{
		"another config": {them, ""}, "another package": {owner(true), elsewhere}, "another phase": {owner(false), ""},
	} {
		second, _ := settle(t, first+c.config, c.owner)
		assert.Equal(t, first+c.config, second, name)
		second, _ = settle(t, first+c.config, c.owner, object(one, "other"))
		assert.Equal(t, first+c.config, second, "%s: it is that one's to replace", name)
	}
}

func TestANameThatIsTakenIsAnError(t *testing.T) {
	t.Parallel()
	list, err := krm.Parse([]byte(fmt.Sprintf("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+
		"- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: %s\n    namespace: ns\n", one)))
	require.NoError(t, err)
	_, err = render.NewReconciler(list, owner(true)).Put(object(one, "a"), "x.yaml", 0)
	assert.EqualError(t, err,
		`the name of the ConfigMap "one-aaaaaaaaaaaa" must not be taken by another object: remove that one`)
}
