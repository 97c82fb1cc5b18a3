package load_test

import (
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// opened counts how often the embedded file is opened.
type opened struct {
	files fstest.MapFS
	times atomic.Int64
}

func (o *opened) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "big.txt") {
		o.times.Add(1)
	}
	return o.files.Open(name)
}

// manyEmbed returns documents that embed one file.
func manyEmbed(documents int, directive, content string) *opened {
	files := fstest.MapFS{"p/big.txt": {Data: []byte(content)}}
	for i := range documents {
		files[fmt.Sprintf("p/%d.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"name: p%d\nspec:\n  runner: {image: a}\n  create: [{name: a, script: %q}]\n", i, directive)}
	}
	return &opened{files: files}
}

// A file that many documents embed is read once, and each document gets its own tree.
func TestEmbeddedFilesAreReadOnce(t *testing.T) {
	t.Parallel()
	for _, directive := range []string{"@{embed: big.txt}", "@{embed[yaml]: big.txt}"} {
		files := manyEmbed(50, directive, "a\n")
		read, err := load.Read([]string{"p"}, load.Options{Files: files})
		require.NoError(t, err)
		require.Empty(t, read.Results())
		require.Len(t, read.Documents, 50)
		assert.EqualValues(t, 2, files.times.Load(), "%s: once for its type, once for its content", directive)
	}
	files := manyEmbed(2, "@{embed[yaml]: big.txt}", "{a: [b]}\n")
	read, err := load.Read([]string{"p"}, load.Options{Files: files})
	require.NoError(t, err)
	one, two := read.Documents[0].Item, read.Documents[1].Item
	script := krm.Path("spec.create[0].script.a")
	first, _ := script.Find(one.YNode())
	second, _ := script.Find(two.YNode())
	require.NotNil(t, first)
	assert.NotSame(t, first, second)
}

// The total size of inserted text is limited, since a few small documents can embed the same large file.
func TestInsertedTextIsLimitedInTotal(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("x", load.MaxEmbedded)
	const most = load.MaxInsertedTotal / load.MaxEmbedded
	read, err := load.Read([]string{"p"}, load.Options{Files: manyEmbed(most, "@{embed: big.txt}", content)})
	require.NoError(t, err)
	assert.Len(t, read.Documents, most)
	for range 3 {
		_, err = load.Read([]string{"p"}, load.Options{Files: manyEmbed(most+1, "@{embed: big.txt}", content)})
		require.EqualError(t, err, "directives must not give more than 134217728 bytes in all documents together: "+
			"read fewer documents at once, or put the files into images")
	}
	values := map[string]string{"v": content}
	_, err = load.Read([]string{"p"}, load.Options{Files: manyEmbed(most+1, "@{v}", ""), Values: values})
	require.ErrorContains(t, err, "in all documents together")
}
