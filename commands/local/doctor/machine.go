package doctor

import (
	"context"
	"os"
	"os/exec"
	"slices"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/container"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/cli"
)

// Machine checks what rplug run and rplug test need: at least one engine, which rendering does not need. Git is needed by
// --base-ref.
func Machine(ctx context.Context) []Check {
	programs := container.Programs()
	checks := append(make([]Check, 0, 1+len(programs)), namespaces())
	for _, program := range programs {
		checks = append(checks, containers(ctx, program))
	}
	works := slices.ContainsFunc(checks, func(c Check) bool { return c.State == OK })
	engines := Check{Part: PartMachine, State: OK, Subject: "engine", Detail: "rplug run and rplug test can run scripts"}
	if !works {
		engines.State, engines.Detail = Warning, "rplug run and rplug test have no engine that isolates scripts"
		engines.Action = "make one of those above work to use them"
	}
	version := Check{Part: PartMachine, State: OK, Subject: "rplug", Detail: "version " + cli.BuildVersion()}
	return slices.Concat([]Check{version}, checks, []Check{engines, git()})
}

// namespaces checks the engine process.
func namespaces() Check {
	c := Check{Part: PartMachine, State: OK, Subject: "namespaces", Detail: "bubblewrap isolates scripts of --engine process"}
	engine, err := process.New(process.Options{})
	if err == nil {
		_, err = engine.IsIsolated()
	}
	if err == nil {
		return c
	}
	c.State, c.Detail = Warning, "--engine process cannot isolate scripts: "+err.Error()
	c.Action = "use an engine with containers"
	if command := process.FoldersCommand(); command != "" {
		c.Action += ", or make folders for scripts that you trust: " + command
	}
	switch _, missing := exec.LookPath("bwrap"); {
	case missing != nil:
		c.Action = "install bubblewrap (apt-get install bubblewrap), or use an engine with containers"
	case restricted():
		c.Action = "allow namespaces for bwrap in AppArmor (sysctl kernel.apparmor_restrict_unprivileged_userns), " +
			"or use an engine with containers"
	}
	return c
}

// restricted reports whether AppArmor keeps users from making namespaces, as in Ubuntu since 23.10:
// https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces
func restricted() bool {
	text, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	return err == nil && len(text) > 0 && text[0] != '0'
}

// containers checks an engine that runs containers.
func containers(ctx context.Context, program string) Check {
	c := Check{Part: PartMachine, State: OK, Subject: program, Detail: "it runs containers for --engine " + program}
	if _, err := container.Find(ctx, program, os.Environ()); err != nil {
		c.State, c.Detail = Warning, err.Error()
		c.Action = "needed only for --engine " + program
	}
	return c
}

func git() Check {
	c := Check{Part: PartMachine, State: OK, Subject: "git"}
	path, err := exec.LookPath("git")
	if err != nil {
		c.State, c.Detail = Warning, "it is not installed"
		c.Action = "install it for --base-ref, rplug expire and rplug restore"
		return c
	}
	c.Detail = path + " reads older states for --base-ref"
	return c
}
