//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In a shared process namespace, scripts of root, of another user and of the helpers' user cannot read the tokens and
// environments of other processes.
func TestFaultSharedProcesses(t *testing.T) {
	s := newNamespace(t)
	const search = `
until grep -qs '^/manager' /proc/[0-9]*/cmdline; do sleep 0.1; done
cat > /tmp/search <<'END'
for process in /proc/[0-9]*; do
  case $(tr '\0' ' ' < $process/cmdline) in /manager*) echo "$(id -u) sees a helper" ;; *) continue ;; esac
  for file in root/var/run/secrets/kubernetes.io/serviceaccount/token environ; do
    [ -z "$(head -c 1 $process/$file 2> /dev/null | tr '\0' x)" ] || echo "$(id -u) reads $file"
  done
done
END
echo 'same:x:65532:65532:same:/:/bin/sh' >> /etc/passwd
echo 'other:x:1000:1000:other:/:/bin/sh' >> /etc/passwd
for i in 1 2 3; do
  sh /tmp/search
  su same -c 'sh /tmp/search'
  su other -c 'sh /tmp/search'
done | sort -u > /outputs/value`
	s.apply(render(t, nil, s.plugin("curious@1.0.0", s.overlay()+"  shareProcessNamespace: true\n",
		step{name: "look", script: script("look", search), outputs: []string{"value"}}), sandbox("curious", "curious", nil)))
	s.succeeded(1)
	found := strings.Split(strings.TrimSpace(string(s.outputs()["curious/look"].Data["value"])), "\n")
	require.Contains(t, found, "65532 sees a helper")
	assert.Equal(t, []string{"0 sees a helper", "1000 sees a helper", "65532 sees a helper"}, found)
}
