package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/digest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Record is what resolution leaves on a sandbox. It is kept in two annotations, each a JSON object in one line with its
// keys sorted:
//
//	resourceplugins.dev/requested: '{"testdb":"hello-db@^1"}'
//	resourceplugins.dev/digests: '{"testdb":"hello-db@1.2.0@sha256:9f86d0…"}'
type Record struct {
	// Requested is the reference as it was before a pin replaced it, by resource. A resource that was pinned in full
	// from the start has none.
	Requested map[string]string
	// Chosen is what a reference resolved to, by resource.
	Chosen map[string]Chosen
}

// Chosen is a published plugin version.
type Chosen struct {
	// Pin is the version's name in full, such as `hello-db@1.2.0`.
	Pin string
	// Digest is the digest of the document that published it.
	Digest string
}

// String joins pin and digest by an "@", as an image reference does.
func (c Chosen) String() string { return c.Pin + "@" + c.Digest }

// ReadRecord returns the record of a sandbox, empty where it has none. An error is a *DocumentError.
func ReadRecord(item *krm.Item) (Record, error) {
	requested, err := readAnnotation(item, contract.RequestedKey)
	if err != nil {
		return Record{}, err
	}
	digests, err := readAnnotation(item, contract.DigestsKey)
	if err != nil {
		return Record{}, err
	}
	record := Record{Requested: requested, Chosen: make(map[string]Chosen, len(digests))}
	for resource, text := range digests {
		at := strings.LastIndexByte(text, '@')
		if at < 0 || !digest.Valid(text[at+1:]) {
			return Record{}, unreadableRecord(item, contract.DigestsKey)
		}
		record.Chosen[resource] = Chosen{Pin: text[:at], Digest: text[at+1:]}
	}
	return record, nil
}

func readAnnotation(item *krm.Item, key string) (map[string]string, error) {
	text, ok := item.Annotation(key)
	if !ok {
		return nil, nil
	}
	var values map[string]string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, unreadableRecord(item, key)
	}
	return values, nil
}

func unreadableRecord(item *krm.Item, key string) error {
	return &DocumentError{
		Item: item, Path: krm.Path("metadata.annotations").Key(key),
		Message: fmt.Sprintf("annotation %q must be what resolve-version wrote: restore it, or remove it", key),
	}
}

// Write puts the record on a sandbox. An annotation that would be empty is removed, one that would stay the same is not
// touched.
func (r Record) Write(item *krm.Item) {
	chosen := make(map[string]string, len(r.Chosen))
	for resource, choice := range r.Chosen {
		chosen[resource] = choice.String()
	}
	writeAnnotation(item, contract.RequestedKey, r.Requested)
	writeAnnotation(item, contract.DigestsKey, chosen)
}

func writeAnnotation(item *krm.Item, key string, values map[string]string) {
	old, exists := item.Annotation(key)
	if len(values) == 0 {
		if exists {
			item.Unannotate(key)
		}
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the > of a range is for people to read
	if err := encoder.Encode(values); err != nil {
		panic(err) // a map of strings is always JSON
	}
	if line := strings.TrimSuffix(text.String(), "\n"); line != old {
		item.Annotate(key, line)
	}
}
