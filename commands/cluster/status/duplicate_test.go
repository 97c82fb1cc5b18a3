package status

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// An object whose kind depends on the reader is an error, though its first kind is not read.
func TestNewRender_rejectsSecondKinds(t *testing.T) {
	t.Parallel()
	item, err := krm.NewItem([]byte("apiVersion: batch/v1\nkind: ConfigMap\nmetadata:\n  name: a\nkind: Job\n"))
	require.NoError(t, err)
	_, err = NewRender([]*krm.Item{item}, nil)
	require.EqualError(t, err, `decode ConfigMap "a": kind must not be given twice: remove one of them`)
}
