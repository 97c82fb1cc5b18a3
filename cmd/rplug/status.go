package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/status"
)

// statusFlags are the flags of rplug status.
type statusFlags struct {
	kubectl       kubectl
	wait          bool
	timeout       time.Duration
	output        output
	printTemplate bool
}

func statusCommand() *cobra.Command {
	flags := statusFlags{output: textOutput}
	command := &cobra.Command{
		Use: "status PATH...", GroupID: groupCluster, Args: cobra.ArbitraryArgs,
		Short: "Report whether rendered steps are ready in a cluster, or why not",
		Long: "Report whether the steps of rendered objects are ready in a cluster. PATH is a file or folder with\n" +
			"the output of render, or - for stdin. The state of a step is one of:\n\n" +
			"  Failed      the Job has failed: fix the cause, delete the Job and apply the render\n" +
			"  Stale       the Job is complete, but its Secret has no outputs of this render: delete the Job and\n" +
			"              apply the render\n" +
			"  Missing     the Job does not exist: apply the render\n" +
			"  InProgress  the step waits or runs\n" +
			"  Ready       the outputs are published; a step without outputs has a complete Job\n\n" +
			"kubectl reads the objects of the cluster. Its configuration, and permission to get the rendered Jobs\n" +
			"and Secrets and to list Pods, are the user's. kubectl alone shows the same, except containers, with:\n\n" +
			"  rplug status --print-template > status.gotemplate\n" +
			"  kubectl get -f PATH --ignore-not-found -o go-template-file=status.gotemplate\n\n" +
			"Exit code: 0 if all steps are ready, 1 if not, 2 if the call is wrong or kubectl fails.",
		Example: "  rplug status create.yaml --wait --timeout 10m",
	}
	f := command.Flags()
	f.SortFlags = false
	f.BoolVar(&flags.wait, "wait", false, "wait until all steps are ready, or one has failed or is stale")
	f.DurationVar(&flags.timeout, "timeout", time.Hour, "`DURATION` to wait, such as 90s or 10m")
	f.VarP(&flags.output, "output", "o", outputUsage)
	flags.kubectl.flags(f)
	f.BoolVar(&flags.printTemplate, "print-template", false, "print the template for kubectl, and read nothing")
	command.RunE = flags.run
	return command
}

func (f *statusFlags) run(c *cobra.Command, paths []string) error {
	if err := f.check(c, paths); err != nil {
		return err
	}
	if f.printTemplate {
		_, err := io.WriteString(c.OutOrStdout(), status.Template)
		return err
	}
	items, err := readDocuments(paths, nil, c.InOrStdin())
	if err != nil {
		return err
	}
	render, err := status.NewRender(items)
	if err != nil {
		return err
	}
	found, err := f.await(render, changes{c.ErrOrStderr(), c.CommandPath(), map[string]string{}})
	if err != nil {
		return err
	}
	if err := f.explain(found); err != nil { // the state of the steps is known nevertheless
		complain(c.ErrOrStderr(), c, err.Error())
	}
	if err := f.print(c.OutOrStdout(), found); err != nil {
		return err
	}
	switch {
	case found.Status == status.Ready:
		return nil
	case f.wait && !found.Status.NeedsUser():
		return refuse(fmt.Errorf("the render was not ready after %s", f.timeout))
	}
	return refuse(errors.New("the render is not ready"))
}

// check refuses combinations of arguments that have no meaning.
func (f *statusFlags) check(c *cobra.Command, paths []string) error {
	switch {
	case f.printTemplate && len(paths) > 0:
		return errors.New("--print-template must be without a path")
	case len(paths) == 0 && !f.printTemplate:
		return errors.New("arguments must be PATH...: see --help")
	case !f.wait && c.Flags().Changed("timeout"):
		return errors.New("--timeout must come with --wait")
	}
	return nil
}

// explain adds the containers that failed.
func (f *statusFlags) explain(found *status.Report) error {
	jobs := found.FailedJobs()
	for _, namespace := range slices.Sorted(maps.Keys(jobs)) {
		selector := fmt.Sprintf("%s in (%s)", batchv1.JobNameLabel, strings.Join(jobs[namespace], ","))
		pods, err := f.kubectl.run(nil, "get", "pods", "-n", namespace, "-l", selector, "-o", "json")
		if err != nil {
			return err
		}
		if err := found.Explain(namespace, pods); err != nil {
			return err
		}
	}
	return nil
}

func (f *statusFlags) print(out io.Writer, found *status.Report) error {
	if f.output == jsonOutput {
		return printJSON(out, found)
	}
	for _, step := range found.Steps {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-10s  %s", step.State, strings.Join(texts(step)[1:], "  ")), " "))
		for _, container := range step.Containers {
			fmt.Fprintf(out, "%-10s  %s\n", "", report.Printable(container.String()))
		}
	}
	_, err := fmt.Fprintf(out, "status: %s\n", found.Status)
	return err
}

// texts are the columns of a step.
func texts(step status.Step) []string {
	return []string{string(step.State), step.Step, step.Namespace, step.Object, report.Printable(step.Detail)}
}
