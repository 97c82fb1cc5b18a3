package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestOrderDoesNotMatter: the same documents are the same bytes, in whatever order and in however many steps.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	random, want := checkout.Random(t), ""
	for range 50 {
		list := NewCatalogDocument("platform")
		plugins := documentsOf(t)
		random.Shuffle(len(plugins), func(i, j int) { plugins[i], plugins[j] = plugins[j], plugins[i] })
		_, _, err := Publish(list, plugins[:random.IntN(len(plugins))], PublishOptions{})
		require.NoError(t, err)
		for i := range list.Spec.Plugins {
			list.Spec.Plugins[i].Description = ""
		}
		_, _, err = Publish(list, plugins, PublishOptions{})
		require.NoError(t, err)
		added, _, err := Publish(list, plugins, PublishOptions{})
		require.NoError(t, err)
		assert.Empty(t, added, "adding twice adds nothing")
		text, err := list.Bytes()
		require.NoError(t, err)
		if want == "" {
			want = string(text)
		}
		require.Equal(t, want, string(text))
	}
	assert.Contains(t, want, "description: d1.10.0\n")
}

func documentsOf(t *testing.T) []*krm.Item {
	t.Helper()
	var plugins []*krm.Item
	for _, name := range []string{"db@1.2.0", "db@1.10.0", "db@1.10.0-rc.1", "queue@0.1.0", "queue", "cache@v1"} {
		bare, version, _ := strings.Cut(name, "@")
		item, err := krm.NewItem(fmt.Appendf(nil, "apiVersion: %s\nkind: ResourcePlugin\nmetadata: {name: %s}\nspec:\n"+
			"  description: %s\n  runner: {image: alpine}\n  create: [{name: %s, script: \"#!/bin/sh\\ntrue\\n\"}]\n",
			contract.APIVersion, name, "d"+version, bare))
		require.NoError(t, err)
		plugins = append(plugins, item)
	}
	return plugins
}
