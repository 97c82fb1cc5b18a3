package localrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Records are written as they were read.
func FuzzParseRecord(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"resource":"db","phase":"create","step":"a","secret":"s","published":"g","data":{"x":"aGk="}}`, "null", "[]",
		`{"data":{"x":"%"}}`, `{"data":null}`, `{}{}`, `{"more":1}`, "\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecord(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		back, err := parseRecord(again)
		require.NoError(t, err)
		assert.Equal(t, r.Published, back.Published)
		assert.Len(t, back.Data, len(r.Data))
	})
}

// Names in objects do not lead out of the state, and different names have different files.
func TestFilesOfHostileNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{"../../x", "..", ".", "", "a/b", "A", "a", "a b", "C:\\x", strings.Repeat("x", 400), "ü\x00", ".gitignore"} {
		for kind, s := range map[string]*step{
			"plain": {sandboxID: "abc", resource: name, name: name, phase: "create"},
			"id":    {sandboxID: name, resource: "r", name: "s", phase: "create"},
		} {
			file := s.file()
			assert.True(t, filepath.IsLocal(file), file)
			assert.Len(t, strings.Split(file, "/"), 3, file)
			assert.Less(t, len(filepath.Base(file)), 100)
			if other, found := seen[strings.ToLower(file)]; found {
				assert.Fail(t, "one file for two steps", "%s: %q and %q", file, other, kind+name)
			}
			seen[strings.ToLower(file)] = kind + name
		}
		file := recordFile("abc", name)
		assert.True(t, filepath.IsLocal(file) && strings.HasPrefix(file, "steps/abc/"), file)
	}
}

func TestStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), StateFolder)
	state, err := OpenState(folder)
	require.NoError(t, err)
	file := recordFile("abc", "secret")
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o700))
	for _, text := range []string{"", "{", `{"unknown":1}`, strings.Repeat(" ", maxRecord+10) + "{}"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
		_, err := state.read(file)
		require.Error(t, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte("{"), 0o600))
	_, err = state.read(file)
	require.EqualError(t, err, filepath.Join(folder, file)+" must hold what a run has written: remove it, and the step runs again")

	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "file"), nil, 0o600))
	_, err = OpenState(filepath.Join(filepath.Dir(folder), "file"))
	require.Error(t, err)
	require.NoError(t, os.Symlink(folder, folder+"-link"))
	_, err = OpenState(folder + "-link")
	require.ErrorContains(t, err, "must be a folder")
}

// Kubernetes has the same cases
// (https://github.com/kubernetes/kubernetes/blob/v1.34.3/third_party/forked/golang/expansion/expand_test.go).
func TestExpand(t *testing.T) {
	t.Parallel()
	known := map[string]string{"VAR_A": "A", "VAR_B": "B", "VAR_C": "C", "VAR_REF": "$(VAR_A)", "VAR_EMPTY": ""}
	for text, want := range map[string]string{
		"$(VAR_A)": "A", "___$(VAR_B)___": "___B___", "___$(VAR_C)": "___C", "$(VAR_A)-$(VAR_A)": "A-A", "$(VAR_A)-1": "A-1",
		"$(VAR_A)_$(VAR_B)_$(VAR_C)": "A_B_C", "$$(VAR_B)_$(VAR_A)": "$(VAR_B)_A", "$$(VAR_A)_$$(VAR_B)": "$(VAR_A)_$(VAR_B)",
		"f000-$$VAR_A": "f000-$VAR_A", "foo\\$(VAR_C)bar": "foo\\Cbar", "foo\\\\$(VAR_C)bar": "foo\\\\Cbar",
		"foo$(VAR_EMPTY)bar": "foobar", "foo$(VAR_Awhoops!": "foo$(VAR_Awhoops!", "f00__(VAR_A)__": "f00__(VAR_A)__",
		"f00__$(VAR_DNE)__": "f00__$(VAR_DNE)__", "$?_boo_$!": "$?_boo_$!", "$VAR_A": "$VAR_A", "$(VAR_B": "$(VAR_B",
		"$()": "$()", "$$$$(VAR_A)": "$$(VAR_A)", "$$$(VAR_A)": "$A", "foo$": "foo$", "$(VAR_REF)": "$(VAR_A)", "": "",
		"$$$$$$$(VAR_A)": "$$$A", "$$)": "$)", "$(VAR_A)$": "A$", "$($(VAR_B))": "$($(VAR_B))",
	} {
		assert.Equal(t, want, expand(text, known), text)
	}
}

func TestLogIsLimited(t *testing.T) {
	t.Parallel()
	var kept strings.Builder
	l := &log{file: &kept}
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 20 {
		n, err := l.Write(line)
		require.NoError(t, err)
		assert.Equal(t, len(line), n)
	}
	assert.Less(t, kept.Len(), maxLog+200)
	assert.Equal(t, 1, strings.Count(kept.String(), "is not kept"))
}

// A link in the state, which a cloned repository may hold, is not followed, neither for reading nor for writing.
func TestStateWithLinks(t *testing.T) {
	t.Parallel()
	for _, linked := range []string{"steps", "steps/abc", "steps/abc/s.json"} {
		elsewhere := t.TempDir()
		folder := filepath.Join(t.TempDir(), StateFolder)
		s, err := OpenState(folder)
		require.NoError(t, err)
		unlock, err := s.lock(t.Context())
		require.NoError(t, err)
		file := recordFile("abc", "s")
		require.NoError(t, s.write(file, &record{Resource: "db"}))
		require.NoError(t, os.Rename(filepath.Join(folder, linked), filepath.Join(elsewhere, "moved")))
		require.NoError(t, os.Symlink(filepath.Join(elsewhere, "moved"), filepath.Join(folder, linked)))
		_, err = s.read(file)
		require.ErrorContains(t, err, "not a link: remove it", linked)
		require.ErrorContains(t, s.write(file, &record{Resource: "other"}), "not a link: remove it", linked)
		require.ErrorContains(t, s.each("abc", func(string, *record) error { return nil }), "not a link: remove it", linked)
		unlock()
	}
}

// An edited record, or one that another user has written, is not believed: it is removed with a message.
func TestStateIgnoresOthersRecords(t *testing.T) { //nolint:paralleltest // sets the environment
	for name, change := range map[string]func(t *testing.T, file string, text []byte) []byte{
		"data": func(_ *testing.T, _ string, text []byte) []byte {
			return []byte(strings.Replace(string(text), "aGk=", "aG8=", 1))
		},
		"no code": func(*testing.T, string, []byte) []byte {
			return []byte(`{"resource":"db","phase":"create","step":"a","secret":"s","published":"g","data":{"x":"aGk="}}`)
		},
		"of another user": func(t *testing.T, _ string, text []byte) []byte {
			t.Helper()
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			return text
		},
		"of another step": func(t *testing.T, file string, text []byte) []byte {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "other.json"), text, 0o600))
			require.NoError(t, os.Remove(file))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			folder := filepath.Join(t.TempDir(), StateFolder)
			first, err := OpenState(folder)
			require.NoError(t, err)
			require.NoError(t, first.lost)
			unlock, err := first.lock(t.Context())
			require.NoError(t, err)
			file := recordFile("abc", "s")
			want := &record{Resource: "db", Phase: "create", Step: "a", Secret: "s", Published: "g", Data: map[string][]byte{"x": []byte("hi")}}
			require.NoError(t, first.write(file, want))
			unlock()
			again, err := OpenState(folder)
			require.NoError(t, err)
			read, err := again.read(file)
			require.NoError(t, err)
			require.Equal(t, want, read, "the record of this user is believed")

			at := filepath.Join(folder, file)
			text, err := os.ReadFile(at)
			require.NoError(t, err)
			if changed := change(t, at, text); changed != nil {
				require.NoError(t, os.WriteFile(at, changed, 0o600))
			}
			hostile, err := OpenState(folder)
			require.NoError(t, err)
			for _, name := range []string{"s", "other"} {
				read, err = hostile.read(recordFile("abc", name))
				require.NoError(t, err)
				assert.Nil(t, read)
			}
			var warned []string
			warn := func(message string) { warned = append(warned, message) }
			require.NoError(t, hostile.begin(&phase{sandboxID: "abc", name: "create"}, false, warn))
			require.Len(t, warned, 1)
			assert.Contains(t, warned[0], "is ignored, and its step runs again: no run of yours has written it as it is")
			entries, err := os.ReadDir(filepath.Dir(at))
			require.NoError(t, err)
			assert.Empty(t, entries)
		})
	}
}

// A key that a repository could hold is not used.
func TestStateKeyIsOutside(t *testing.T) { //nolint:paralleltest // sets the environment
	project := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(project, "cache"))
	s, err := OpenState(filepath.Join(project, StateFolder))
	require.NoError(t, err)
	require.ErrorContains(t, s.lost, "must be outside of")
	other, err := OpenState(filepath.Join(project, StateFolder))
	require.NoError(t, err)
	assert.NotEqual(t, s.key, other.key)
}
