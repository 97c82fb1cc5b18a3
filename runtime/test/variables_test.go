package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// A container runtime would not start main, and would put the value into an event.
func TestOutputThatCannotBeAVariable(t *testing.T) {
	t.Parallel()
	const limit = contract.MaxVariableBytes - len("DSN=\x00")
	for name, test := range map[string]struct {
		value string
		want  string // empty: the step runs
		log   string
	}{
		"NUL":      {value: marker + "\x00" + marker, want: `output "dsn" of step "provision" has a NUL byte`},
		"too long": {value: strings.Repeat("x", limit+1), want: `output "dsn" of step "provision" has 131068 bytes`},
		"longest":  {value: strings.Repeat("x", limit)},
		"not UTF-8": {
			value: marker + "\xff",
			log:   `input "source": output "dsn" of step "provision" is not UTF-8, which some programs refuse`,
		},
		"empty": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			consumer := seed()
			consumer.plan.Producers[0].Inputs = []contract.Input{{Output: "dsn", Variable: "DSN", Name: "source"}}
			consumer.script = "#!/bin/sh\necho ran >> @/ran\necho x > @/tmp/seen\n"
			render(server, provision(), consumer)
			server.Put(ref("provision"), published("g1", object{"dsn": []byte(test.value)}))
			p := newPod(t, server, consumer)
			if test.want == "" {
				require.Equal(t, success, p.play(), p.log)
				assert.True(t, p.exists("ran"))
				assert.Contains(t, p.log.String(), test.log)
				requireSecrecy(t, p)
				return
			}
			require.Equal(t, ending{1, -1, -1}, p.play(), p.log)
			assert.False(t, p.exists("ran"))
			assert.Contains(t, p.message(), `step "seed": input "source" cannot be the variable "DSN": `+test.want)
			assert.Contains(t, p.message(), "read it as a file, as.path")
			requireFailed(t, p)
		})
	}
}

// Each variable is short enough, but Linux does not accept all of them together.
func TestOutputsThatCannotBeVariablesTogether(t *testing.T) {
	t.Parallel()
	for _, count := range []int{15, 16} {
		server := newServer(t)
		consumer := seed()
		consumer.plan.Producers = nil
		consumer.secrets = nil
		consumer.script = "#!/bin/sh\necho x > @/tmp/seen\n"
		render(server, consumer)
		for i := range count {
			name := "p" + string(rune('a'+i))
			producer := contract.Producer{Step: name, Generation: "g1", Inputs: []contract.Input{{Output: "dsn", Variable: "D", Name: name}}}
			consumer.plan.Producers, consumer.secrets = append(consumer.plan.Producers, producer), append(consumer.secrets, name)
			server.Put(ref(name), published("g1", object{"dsn": []byte(strings.Repeat("x", 131_000))}))
		}
		p := newPod(t, server, consumer)
		if count == 15 {
			require.Equal(t, success, p.play(), p.log)
			continue
		}
		require.Equal(t, ending{1, -1, -1}, p.play(), p.log)
		assert.Contains(t, p.message(), "and the variables with outputs have at most 1966080 together")
	}
}
