package lifecycle

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands in repositories of git.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"end": endJobs, "dump": dump},
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"} {
				env.Setenv(name, "test")
			}
			for _, name := range []string{"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} {
				env.Setenv(name, "test@localhost")
			}
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return nil
		},
	})
}

// endJobs is the script command "end CONDITION RENDER DUMP": it writes the Jobs of a render as kubectl prints them after they
// have ended.
func endJobs(ts *testscript.TestScript, _ bool, args []string) {
	var items []any
	for part := range strings.SplitSeq(ts.ReadFile(args[1]), "---\n") {
		var object map[string]any
		ts.Check(yaml.Unmarshal([]byte(part), &object))
		if object["kind"] != "Job" {
			continue
		}
		object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": args[0], "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "said",
		}}}
		items = append(items, object)
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), text, 0o600))
}

// dump is the script command "dump TIME RENDER DUMP [KIND...]": it writes the objects of a render, or those of some kinds, as
// kubectl prints them when they were created at a time.
func dump(ts *testscript.TestScript, _ bool, args []string) {
	var items []any
	for part := range strings.SplitSeq(ts.ReadFile(args[1]), "---\n") {
		var object map[string]any
		ts.Check(yaml.Unmarshal([]byte(part), &object))
		if kind, _ := object["kind"].(string); len(args) > 3 && !slices.Contains(args[3:], kind) {
			continue
		}
		object["metadata"].(map[string]any)["creationTimestamp"] = args[0]
		items = append(items, object)
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), text, 0o600))
}
