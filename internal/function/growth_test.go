package function

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/growth"
)

// The cost of rendering is in proportion to the documents and the rendered objects, whichever two dimensions grow together.
func TestGrowth_rendering(t *testing.T) {
	checkout.Slow(t, "renders large documents of many pairs of shapes")
	for _, one := range []struct {
		function cli.Function
		config   string
	}{
		{resolveversion.New(), "kind: ResolveVersion"},
		{renderphase.New(), "kind: RenderPhase, phases: [create, delete], delivery: argocd"},
		{renderphase.New(), "kind: RenderPhase, engine: argo"},
		{rendersandbox.New(), "kind: RenderSandbox"},
		{rendersandbox.New(), "kind: RenderSandbox, routing: gateway-api"},
	} {
		t.Run(one.config, func(t *testing.T) {
			growth.Check(t, growth.Test[growth.Documents]{
				Dimensions: growth.DocumentDimensions, Few: 100, Prepare: func(d *growth.Documents) func() int {
					config := "functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, metadata: {name: x}, " + one.config + "}\n"
					list := append(d.List(), config...)
					return func() int {
						var out, log bytes.Buffer
						code := one.function.Run(context.Background(), nil, bytes.NewReader(list), &out, &log)
						isLimit := strings.Contains(log.String(), "at most") // of the size of objects, which may be products
						assert.True(t, code == 0 || isLimit, log.String())
						return len(list) + out.Len()
					}
				},
			})
		})
	}
}
