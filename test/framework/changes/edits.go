package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// edit changes a folder. It reports false if the folder cannot be changed so.
type edit struct {
	name string
	make func(f *Folder) bool
}

// edits of documents.
var edits = []edit{
	{"change a param", func(f *Folder) bool { f.Any().Value = fmt.Sprintf("v%d", f.Random.IntN(100)); return true }},
	{"change a param to one of the same length", func(f *Folder) bool {
		s := f.Any()
		s.Value = strings.Repeat(string(rune('a'+f.Random.IntN(26))), len(s.Value))
		return true
	}},
	{"rename a sandbox", func(f *Folder) bool { f.made++; f.Any().Name = fmt.Sprintf("s%d", f.made); return true }},
	{"rename a file", func(f *Folder) bool {
		from, to := f.anyFile(), fmt.Sprintf("%c%d.yaml", 'a'+rune(f.Random.IntN(26)), f.Random.IntN(1000))
		if f.Files[to] != nil {
			return false
		}
		f.Files[to] = f.Files[from]
		delete(f.Files, from)
		return true
	}},
	{"add a sandbox", func(f *Folder) bool { f.AddSandbox(); return true }},
	{"remove a sandbox", func(f *Folder) bool {
		file := f.anyFile()
		if len(f.Files) < 3 {
			return false
		}
		if f.Files[file] = f.Files[file][1:]; len(f.Files[file]) == 0 {
			delete(f.Files, file)
		}
		return true
	}},
	{"split a file", func(f *Folder) bool {
		file := f.anyFile()
		if len(f.Files[file]) < 2 {
			return false
		}
		f.made++
		f.Files[fmt.Sprintf("split%d.yaml", f.made)] = f.Files[file][1:]
		f.Files[file] = f.Files[file][:1]
		return true
	}},
	{"merge two files", func(f *Folder) bool {
		a, b := f.anyFile(), f.anyFile()
		if a == b {
			return false
		}
		f.Files[a] = append(slices.Clone(f.Files[a]), f.Files[b]...)
		delete(f.Files, b)
		return true
	}},
	{"reorder a file", func(f *Folder) bool { slices.Reverse(f.Files[f.anyFile()]); return true }},
	{"make a document native", func(f *Folder) bool { s := f.Any(); s.IsNative = !s.IsNative; return true }},
	{"name a variable", func(f *Folder) bool { s := f.Any(); s.IsNative, s.Value = true, "@{team}"; return true }},
	{"make a sandbox absent", func(f *Folder) bool {
		f.Any().Annotations = ", resourceplugins.dev/state: absent"
		return true
	}},
	{"bring a sandbox back", func(f *Folder) bool { f.Any().Annotations = ""; return true }},
	{"duplicate a name", func(f *Folder) bool {
		if f.Random.IntN(4) > 0 {
			return false
		}
		f.Any().Name = strings.ToUpper(f.Any().Name)
		return true
	}},
	{"give a sandbox the id of another one", func(f *Folder) bool {
		if f.Random.IntN(4) == 0 {
			f.Any().Annotations = ", resourceplugins.dev/sandbox-id: abcdefghijklm"
		}
		return true
	}},
	{"misspell a param", func(f *Folder) bool { f.Any().Param = "dbnam"; return true }},
	{"spell a param correctly", func(f *Folder) bool { f.Any().Param = "dbname"; return true }},
	{"suppress a warning", func(f *Folder) bool {
		s := f.Any()
		s.Param, s.Comment = "dbnam", " # krm-functions: ignore unknown-param it is new"
		return true
	}},
	{"suppress nothing", func(f *Folder) bool { f.Any().Comment = ""; return true }},
	{"give a param that is too large", func(f *Folder) bool {
		if f.Random.IntN(4) == 0 {
			f.Any().Value = strings.Repeat("x", 140_000)
		}
		return true
	}},
	{"give a wrong annotation", func(f *Folder) bool {
		if f.Random.IntN(4) == 0 {
			f.Any().Annotations = ", resourceplugins.dev/state: gone"
		}
		return true
	}},
	{"move a sandbox to another cluster", func(f *Folder) bool {
		f.Any().Cluster = []string{"staging", "staging", "other"}[f.Random.IntN(3)]
		return true
	}},
	{"refer to another version", func(f *Folder) bool {
		f.Any().Plugin = []string{"db@1.0.0", "db@1.1.0", "db@2.0.0", "db@^1", "db@stable", "db"}[f.Random.IntN(6)]
		return true
	}},
	{"change a script", func(f *Folder) bool {
		f.Plugins["1.0.0"] = []string{"one", "two", "six", "nothing", "$DBNAM"}[f.Random.IntN(5)]
		return true
	}},
	{"add a version", func(f *Folder) bool { f.Plugins[[]string{"1.1.0", "2.0.0"}[f.Random.IntN(2)]] = "new"; return true }},
	{"remove a version", func(f *Folder) bool { delete(f.Plugins, "1.1.0"); return f.Stable != "1.1.0" }},
	{"change the catalog", func(f *Folder) bool {
		versions := append(slices.Sorted(maps.Keys(f.Plugins)), "")
		f.Stable = versions[f.Random.IntN(len(versions))]
		return true
	}},
	{"change the lock", func(f *Folder) bool { f.Locked = !f.Locked; return true }},
	{"add other files", func(f *Folder) bool {
		f.Others["object.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
		f.Others["kustomization.yaml"] = "resources: [none.yaml]\n"
		f.Others[".gitignore"] = ""
		return true
	}},
	{"ignore a file", func(f *Folder) bool { f.Others[".gitignore"] = f.anyFile() + "\n"; return true }},
	{"remove other files", func(f *Folder) bool { clear(f.Others); return true }},
}

// Change changes the documents in one to three ways. Write writes them.
func (f *Folder) Change() {
	for range 1 + f.Random.IntN(3) {
		if one := edits[f.Random.IntN(len(edits))]; one.make(f) {
			f.Log = append(f.Log, one.name)
		}
	}
}
