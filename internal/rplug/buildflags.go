package rplug

import "github.com/resource-plugins/krm-functions/internal/cli"

// buildGroups are the flags of build in groups. --help describes the first one: those that people need first.
func buildGroups() []cli.FlagGroup {
	return []cli.FlagGroup{
		{Title: "flags", Flags: []string{
			"output-dir", "check", "watch", "cluster", "phases", "delivery", "no-forks", "set", "values", "kustomize", "base-ref",
			"output", "print-config", "help-all", "help",
		}},
		{Title: "flags for input", Flags: []string{"exclude", "base", "allow-embed-outside", "allow-empty", "no-project"}},
		{Title: "flags for output", Flags: []string{
			"file-per", "kustomization", "overwrite", "allow-leaks", "no-cache", "baseline", "show-values", "verbose", "version",
		}},
		{Title: "flags for findings", Flags: []string{"strict", "rules"}},
		{Title: "flags for versions", Flags: []string{"mode", "update", "kubernetes-version"}},
		{Title: "flags for steps", Flags: []string{
			"engine", "workload", "step-timeout-seconds", "start-timeout-seconds", "retries", "ttl-seconds-after-finished",
		}},
		{Title: "flags for Pods", Flags: []string{
			"runner-namespace", "namespaces", "pod-template-defaults", "pod-security", "trusted-accounts", "helper-image",
			"image-pull-secrets",
		}},
		{Title: "flags for teardown", Flags: []string{"delete-hook", "undo", "expiry"}},
		{Title: "flags for forks", Flags: []string{
			"replicas", "namespace", "routing", "headers", "gateway", "gateway-domain", "gateway-scheme",
		}},
		{Title: "flags for packages of Crossplane", Flags: []string{"image", "install", "record", "unpacker-image", "mirror"}},
	}
}
