package lifecycle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// swept is the objects of teardowns as YAML. Sandboxes that share an object, such as the ConfigMap with a script, have it
// once: kustomize, and with it Flux, refuses an object that is there twice.
type swept struct {
	text bytes.Buffer
	has  map[string]bool
}

// add adds the objects of a teardown.
func (s *swept) add(teardown []byte) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(teardown)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var object metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(document, &object); err != nil {
			return err
		}
		key := fmt.Sprintf("%s %s %s/%s", object.APIVersion, object.Kind, object.Namespace, object.Name)
		if s.has[key] {
			continue
		}
		s.has[key] = true
		if s.text.Len() > 0 {
			s.text.WriteString("---\n")
		}
		s.text.Write(document)
	}
}
