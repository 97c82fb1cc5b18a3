package load

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A folder is read, or refused; its entries have names that no path can leave it by.
func FuzzParseFolder(f *testing.F) {
	id := "01234567890123456789"
	f.Add([]byte("100644 a.yaml\x00" + id + "40000 b\x00" + id))
	f.Add([]byte("100644 ../a\x00" + id))
	f.Add([]byte("100644 a\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := parseFolder(text, len(id))
		if err != nil {
			assert.Empty(t, entries)
			return
		}
		for i, e := range entries {
			assert.True(t, isName(e.name))
			assert.True(t, isID(e.id))
			assert.True(t, i == 0 || entries[i-1].name <= e.name)
		}
	})
}
