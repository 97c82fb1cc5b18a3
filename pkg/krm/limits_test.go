package krm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parsedItem(t *testing.T, object string) (*ResourceList, *Item) {
	t.Helper()
	list, err := Parse([]byte(head + "items:\n- " + strings.ReplaceAll(object, "\n", "\n  ") + "\n"))
	require.NoError(t, err)
	return list, list.Items()[0]
}

// Of very many findings about an object, only the first are reported, and the number of the others as a finding as
// severe as the worst of them.
func TestResults_limited(t *testing.T) {
	t.Parallel()
	list, item := parsedItem(t, "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {}")
	for i := range 1500 {
		severity := Info
		if i == 1499 {
			severity = Error
		}
		list.Report(At(item, Path("spec").Index(i), severity, "must be another"))
	}
	list.Report(NewResult(Warning, "about no object"))
	for range 2 {
		results := list.Results()
		require.Len(t, results, 1002)
		assert.True(t, results.Failed())
		more := results[0]
		assert.Equal(t, "has 500 other findings: only the first 1000 are reported", more.Message)
		assert.Equal(t, Error, more.Severity)
		assert.Equal(t, "spec[999]", results[1001].Field.Path)
	}
	list.Report(At(item, "spec[5000]", Info, "must be another"))
	assert.Equal(t, "has 501 other findings: only the first 1000 are reported", list.Results()[0].Message)
}

// A result shows no more of a document than a person reads.
func TestAt_abridges(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 4000)
	_, item := parsedItem(t, "apiVersion: v1\nkind: A\nmetadata: {name: "+long+", namespace: "+long+"}\nspec: "+long)
	result := At(item, "spec", Error, fmt.Sprintf("must not be %q: remove it", long))
	assert.LessOrEqual(t, len(result.ResourceRef.Name), longestName)
	assert.LessOrEqual(t, len(result.ResourceRef.Namespace), longestName)
	assert.LessOrEqual(t, len(result.Message), longestMessage)
	assert.True(t, strings.HasPrefix(result.Message, `must not be "éé`) && strings.HasSuffix(result.Message, `é": remove it`))
	assert.Contains(t, result.Message, "é … é")
	assert.Nil(t, result.Field.CurrentValue)
}

// A document that is deep passes as it is. It cannot be changed, since printing it would make it a thousand times as long.
func TestWrite_deepDocument(t *testing.T) {
	t.Parallel()
	for levels, refused := range map[int]bool{maxDepth - 10: false, maxDepth + 10: true} {
		list, item := parsedItem(t, "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: "+
			strings.Repeat("{a: ", levels)+"b"+strings.Repeat("}", levels))
		var out bytes.Buffer
		_, err := list.WriteTo(&out)
		require.NoError(t, err)
		item.Annotate("a", "b")
		if _, err = list.WriteTo(&out); refused {
			require.ErrorIs(t, err, errDeep)
		} else {
			require.NoError(t, err)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	list, item := parsedItem(t, "apiVersion: v1\nkind: A\nmetadata: {name: a}")
	assert.Equal(t, len(list.src), list.Size())
	assert.InDelta(t, 40, NewList(FromNode(item.YNode(), "a.yaml")).Size(), 20)
}
