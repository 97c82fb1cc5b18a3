package field_test

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// A path finds a value, with its line and column in the text.
func ExamplePath_Find() {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte("metadata:\n  annotations:\n    example.com/owner: orders\n"), &document); err != nil {
		panic(err)
	}
	path := field.Path("metadata.annotations").Key("example.com/owner")
	if value, found := path.Find(document.Content[0]); found {
		fmt.Printf("%s is %q (line %d)\n", path, value.Value, value.Line)
	}
	// Output:
	// metadata.annotations["example.com/owner"] is "orders" (line 3)
}
