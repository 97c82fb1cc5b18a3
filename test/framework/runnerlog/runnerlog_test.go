package runnerlog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/test/framework/runnerlog"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "debug", runnerlog.Command("::debug::a.yaml:1:1: [warning] x"))
	assert.Equal(t, "Add-Mask", runnerlog.Command(" \u00a0::Add-Mask x=y::"))
	assert.Equal(t, "error", runnerlog.Command("1 | name: ##[error]x"))
	assert.Empty(t, runnerlog.Command("a ::debug::b"))
	assert.Empty(t, runnerlog.Command("::unknown::b"))
}
