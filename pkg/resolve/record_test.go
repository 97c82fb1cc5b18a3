package resolve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const (
	requestedKey = "resourceplugins.dev/requested"
	digestsKey   = "resourceplugins.dev/digests"
)

func sandboxItem(tb testing.TB, annotations map[string]string) *krm.Item {
	tb.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "resourceplugins.dev/v1alpha1", "kind": "Sandbox",
		"metadata": map[string]any{"name": "s", "annotations": annotations},
	})
	require.NoError(tb, err)
	document, err := krm.NewItem(text)
	require.NoError(tb, err)
	return document
}

func TestRecordOnASandbox(t *testing.T) {
	t.Parallel()
	first, second := "sha256:"+strings.Repeat("0a", 32), "sha256:"+strings.Repeat("1b", 32)
	record := Record{
		"queue":      {Requested: "sqs@>=1 <2", Pin: "sqs@1.4.0", Digest: second},
		"db":         {Requested: "hello-db", Pin: "hello-db@0.0.0", Digest: first},
		`odd "name"`: {Pin: "sqs@1.4.0", Digest: second},
	}
	document := sandboxItem(t, map[string]string{"other": "kept"})
	record.write(document)
	for key, want := range map[string]string{
		requestedKey: `{"db":"hello-db","queue":"sqs@>=1 <2"}`,
		digestsKey: `{"db":"hello-db@0.0.0@` + first + `","odd \"name\"":"sqs@1.4.0@` + second +
			`","queue":"sqs@1.4.0@` + second + `"}`,
	} {
		text, _ := document.Annotation(key)
		assert.Equal(t, want, text)
	}

	again, err := ReadRecord(document)
	require.NoError(t, err)
	assert.Equal(t, record, again)

	Record{}.write(document)
	for _, key := range []string{requestedKey, digestsKey} {
		_, there := document.Annotation(key)
		assert.False(t, there, key)
	}
	other, _ := document.Annotation("other")
	assert.Equal(t, "kept", other)
}

func TestASandboxWithoutARecord(t *testing.T) {
	t.Parallel()
	document := sandboxItem(t, nil)
	record, err := ReadRecord(document)
	require.NoError(t, err)
	assert.Empty(t, record)
	record.write(document)
	_, there := document.Annotation(digestsKey)
	assert.False(t, there)
}

// TestARequestAlone is a record whose digests a user removed, to accept a version's new content.
func TestARequestAlone(t *testing.T) {
	t.Parallel()
	record, err := ReadRecord(sandboxItem(t, map[string]string{requestedKey: `{"db":"hello-db"}`}))
	require.NoError(t, err)
	assert.Equal(t, Record{"db": {Requested: "hello-db"}}, record)
}

func TestRecordsSomebodyBroke(t *testing.T) {
	t.Parallel()
	for key, values := range map[string][]string{
		requestedKey: {"", "text", "{", "[]", `{"a":1}`, `{"a":"b"} {}`},
		digestsKey:   {"", "{", `{"a":"b"}`, `{"a":"b@1.0.0"}`, `{"a":"b@1.0.0@sha256:12"}`, `{"a":{}}`},
	} {
		for _, value := range values {
			document := sandboxItem(t, map[string]string{key: value})
			_, err := ReadRecord(document)
			var found *DocumentError
			require.ErrorAs(t, err, &found, value)
			assert.Equal(t, krm.Path(`metadata.annotations["`+key+`"]`), found.Path)
			assert.Equal(t, `annotation "`+key+`" must be what resolve-version wrote: restore it, or remove it`, found.Message)
			result := found.Result()
			assert.Equal(t, krm.Error, result.Severity)
		}
	}
}

// FuzzReadRecord checks that a record which can be read is written again unchanged.
func FuzzReadRecord(f *testing.F) {
	f.Add(`{"db":"hello-db"}`, `{"db":"hello-db@0.0.0@sha256:`+strings.Repeat("0a", 32)+`"}`)
	f.Add(`{}`, `null`)
	f.Fuzz(func(t *testing.T, requested, digests string) {
		document, err := krm.NewItem([]byte("kind: Sandbox\nmetadata: {name: s}\n"))
		require.NoError(t, err)
		document.Annotate(requestedKey, requested)
		document.Annotate(digestsKey, digests)
		record, err := ReadRecord(document)
		if err != nil {
			return
		}
		record.write(document)
		again, err := ReadRecord(document)
		require.NoError(t, err)
		for resource, resolution := range record {
			if resolution != (Resolution{}) {
				require.Equal(t, resolution, again[resource])
			}
		}
	})
}
