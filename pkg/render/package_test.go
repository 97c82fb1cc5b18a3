package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func TestPackageOfTheConfig(t *testing.T) {
	t.Parallel()
	const empty = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	list, err := krm.Parse([]byte(empty + "functionConfig:\n  apiVersion: v1\n  kind: X\n  metadata:\n    name: x\n" +
		"    annotations:\n      internal.config.kubernetes.io/package-path: /a/b\n"))
	require.NoError(t, err)
	assert.Equal(t, "/a/b", packageOf(list))
	kptfile := "- apiVersion: kpt.dev/v1\n  kind: Kptfile\n  metadata:\n    name: x\n    annotations:\n" +
		"      internal.config.kubernetes.io/package-path: "
	list, err = krm.Parse([]byte(strings.Replace(empty, " []\n", "\n"+kptfile+"/a/b/c\n"+kptfile+"/a/b\n", 1)))
	require.NoError(t, err)
	assert.Equal(t, "/a/b", packageOf(list), "the outermost one")
	list, err = krm.Parse([]byte(empty))
	require.NoError(t, err)
	assert.Empty(t, packageOf(list))
}
