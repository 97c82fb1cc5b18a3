package renderdiff_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/growth"
)

// built returns the rendered objects of documents as a side, and their size.
func built(t *testing.T, name string, d *growth.Documents) (side *renderdiff.Side, size int) {
	t.Helper()
	chain := build.New()
	list, err := krm.Parse(d.List())
	require.NoError(t, err)
	result, err := chain.Run(list)
	require.NoError(t, err)
	require.False(t, list.Results().Failed(), list.Results())
	for _, item := range result.Objects {
		text, err := item.Bytes()
		require.NoError(t, err)
		size += len(text)
	}
	return renderdiff.NewSide(name, result.Objects, list.Items()), size
}

// The cost of a comparison is in proportion to the compared objects and the report, whichever two dimensions of the documents
// grow together: if a step has changed, if everything is new, and if everything is gone.
func TestCompare_costIsInProportion(t *testing.T) {
	checkout.Slow(t, "renders large documents of many pairs of shapes")
	growth.Check(t, growth.Test[growth.Documents]{
		Dimensions: growth.DocumentDimensions, Few: 100, Prepare: func(d *growth.Documents) func() int {
			old, oldSize := built(t, "old", d)
			d.Script += "      echo changed\n"
			is, newSize := built(t, "new", d)
			none, _ := built(t, "none", &growth.Documents{})
			return func() int {
				var out bytes.Buffer
				for _, sides := range [][2]*renderdiff.Side{{old, is}, {none, is}, {old, none}} {
					report, err := renderdiff.Compare(sides[0], sides[1], renderdiff.Options{})
					require.NoError(t, err)
					for _, format := range []renderdiff.Format{renderdiff.Text, renderdiff.JSON, renderdiff.Markdown} {
						require.NoError(t, report.Write(&out, format))
					}
				}
				return oldSize + newSize + out.Len()
			}
		},
	})
}
