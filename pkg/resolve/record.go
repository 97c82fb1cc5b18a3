package resolve

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Record holds the resolutions recorded on a sandbox, by resource name. It is stored in two annotations, each a JSON
// object in one line with sorted keys:
//
//	resourceplugins.dev/requested: '{"testdb":"hello-db@^1"}'
//	resourceplugins.dev/digests: '{"testdb":"hello-db@1.2.0@sha256:9f86d0…"}'
type Record map[string]Resolution

// Resolution is the resolution of one reference.
type Resolution struct {
	// Requested is the reference that the pin replaced, empty if it was the pin from the start.
	Requested string
	// Pin is the full name of the version, such as `hello-db@1.2.0`. It is empty if only Requested is on record.
	Pin string
	// Digest is the digest of the document that published the version.
	Digest string
}

// ReadRecord returns the record of a sandbox, empty if it has none. An error is a *DocumentError.
func ReadRecord(item *krm.Item) (Record, error) {
	requested, err := readAnnotation(item, contract.RequestedKey)
	if err != nil {
		return nil, err
	}
	digests, err := readAnnotation(item, contract.DigestsKey)
	if err != nil {
		return nil, err
	}
	record := make(Record, len(digests))
	for resource, reference := range requested {
		record[resource] = Resolution{Requested: reference}
	}
	for resource, text := range digests {
		at := strings.LastIndexByte(text, '@')
		if at <= 0 || !document.IsDigest(text[at+1:]) {
			return nil, unreadableRecord(item, contract.DigestsKey)
		}
		record[resource] = Resolution{Requested: requested[resource], Pin: text[:at], Digest: text[at+1:]}
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

// write sets the record's annotations on a sandbox. Empty annotations are removed, unchanged ones are not touched.
func (r Record) write(item *krm.Item) {
	requested, digests := make(map[string]string, len(r)), make(map[string]string, len(r))
	for resource, resolution := range r {
		if resolution.Requested != "" {
			requested[resource] = resolution.Requested
		}
		if resolution.Pin != "" {
			digests[resource] = resolution.Pin + "@" + resolution.Digest // as an image reference does
		}
	}
	writeAnnotation(item, contract.RequestedKey, requested)
	writeAnnotation(item, contract.DigestsKey, digests)
}

func writeAnnotation(item *krm.Item, key string, values map[string]string) {
	if len(values) == 0 {
		item.Unannotate(key)
		return
	}
	item.Annotate(key, string(yamlprint.AppendJSON(nil, values)))
}
