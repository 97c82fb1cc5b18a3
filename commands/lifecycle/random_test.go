package lifecycle

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/histories"
)

// historyPlugin is a version of a plugin whose steps read a param.
const historyPlugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: db@1.%d.0
spec:
  runner: {image: "alpine:3.22", namespace: steps}
  create:
  - {name: make, inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}], script: "#!/bin/sh\ntrue # %[1]d\n"}
  delete:
  - {name: drop, inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}], script: "#!/bin/sh\ntrue # %[1]d\n"}
`

// Random histories agree with the model of package histories. The test changes the working folder, so it is not parallel.
// TEST_ROUNDS=60 runs 300 histories.
func TestSweep_ofRandomHistories(t *testing.T) {
	random, rounds := checkout.Random(t), checkout.Rounds(5)
	for _, variable := range histories.GitEnvironment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	var count histories.Count
	for round := range rounds {
		own := rand.New(rand.NewPCG(random.Uint64(), 0)) // so that -run repeats one round
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			histories.Run(t, own, &histories.Options{
				Plugin: func(version int) string { return fmt.Sprintf(historyPlugin, version) },
				Rplug: func(folder string, args ...string) (string, string, int) {
					t.Chdir(folder)
					var out, messages bytes.Buffer
					code := rplug.Run(t.Context(), args, strings.NewReader(""), &out, &messages, Extension())
					return out.String(), messages.String(), code
				},
				NewCluster: func(string) histories.Cluster { return histories.NewMemory(t) },
				Operations: 30,
			}, &count)
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d histories: %d sandboxes listed, %d torn down, of which %d had to be; of %d the document could not be read", rounds,
		count.Listed, count.Rendered, count.Due, count.Unread)
	assert.NotZero(t, count.Listed-count.Rendered)
	assert.NotZero(t, count.Due)
}
