package localrun_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

func ExampleMakeFolder() {
	parent, _ := os.MkdirTemp("", "example-")
	defer func() { _ = os.RemoveAll(parent) }()
	folder, mark, err := localrun.MakeFolder(parent)
	fmt.Println(filepath.Base(folder) == "rplug-"+mark, localrun.IsAbandoned(mark), err)
	err = localrun.RemoveFolders(parent, os.RemoveAll)
	_, exists := os.Stat(folder)
	fmt.Println(err, exists)
	// Output:
	// true false <nil>
	// <nil> <nil>
}

// Only objects of ended processes of this machine are abandoned.
func TestIsAbandoned(t *testing.T) {
	t.Parallel()
	killed := exec.Command("sleep", "1000")
	require.NoError(t, killed.Start())
	parts := strings.Split(localrun.NewMark(), ".")
	parts[1], parts[2] = strconv.Itoa(killed.Process.Pid), "1"
	assert.True(t, localrun.IsAbandoned(strings.Join(parts, ".")), "another process had the id, since its start differs")
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", killed.Process.Pid))
	require.NoError(t, err)
	parts[2] = strings.Fields(string(stat))[21]
	mark := strings.Join(parts, ".")
	assert.False(t, localrun.IsAbandoned(mark), "it runs")
	parent := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(parent, "rplug-"+mark), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "rplug-"+mark, "file"), nil, 0o600))
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	assert.True(t, localrun.IsAbandoned(mark), "it was killed")
	for _, other := range []string{"", "x", "elsewhere.1.1.1", "elsewhere.0.0", localrun.NewMark(), mark + ".1", parts[0] + ".x.1.1"} {
		assert.False(t, localrun.IsAbandoned(other), other)
		if other != "" {
			require.NoError(t, os.Mkdir(filepath.Join(parent, "rplug-"+other), 0o700))
		}
	}
	require.NoError(t, localrun.RemoveFolders(parent, os.RemoveAll))
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Len(t, left, 6)
	assert.NoDirExists(t, filepath.Join(parent, "rplug-"+mark))
}
