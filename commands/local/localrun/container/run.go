package container

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// Run runs a container until it ends, and removes it.
func (e *Engine) Run(ctx context.Context, container localrun.Container) (result localrun.Result, err error) {
	if err := context.Cause(ctx); err != nil {
		return result, err
	}
	folder, err := e.makeFolder(container)
	if err != nil {
		return result, err
	}
	defer func() {
		if result.Kept == "" {
			err = errors.Join(err, e.removeFolder(context.WithoutCancel(ctx), folder))
		}
	}()
	create, err := e.create(ctx, container, folder)
	if err != nil {
		return result, cmp.Or(context.Cause(ctx), err)
	}
	id, err := e.finish(create)
	if err != nil {
		return result, err
	}
	id = lastLine(id)
	defer func() {
		if container.Keep != "" && err == nil && result.ExitCode != 0 && !result.Interrupted {
			result.Kept = e.kept(container)
			return
		}
		err = errors.Join(err, e.Remove(ctx, []string{id}, nil))
	}()
	if container.Plan != nil {
		if err := e.prepare(ctx, id, ioFolder(folder), *container.Plan); err != nil {
			return result, cmp.Or(context.Cause(ctx), err)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return result, err
	}
	log := &end{}
	interrupted, startErr := e.start(ctx, id, container, log)
	result, err = e.result(context.WithoutCancel(ctx), id, container, folder, log, startErr)
	result.Interrupted = interrupted
	// Without data flow main is the first process, and the kernel kills the others when it ends.
	result.Remaining, result.Unwatched = strings.Contains(log.text(), runner.Remain), container.Plan == nil
	return result, err
}

// create returns the command that creates a container.
func (e *Engine) create(ctx context.Context, container localrun.Container, folder string) (*exec.Cmd, error) {
	pod, own := podOf(container.Template), main(container.Template)
	inspected, err := e.image(ctx, container.Image, own.ImagePullPolicy)
	if err != nil {
		return nil, err
	}
	if len(container.Command) == 0 {
		return nil, errors.New("the command of main must be set")
	}
	command, runner := container.Command, ""
	if container.Plan != nil {
		var before []string
		if runner, before, err = e.runner(ctx, inspected); err == nil && container.Keep != "" {
			runner, err = copyRunner(runner, folder)
		}
		if err != nil {
			return nil, err
		}
		command = slices.Concat(command[:1], before, command[1:])
	}
	security := settingsOf(container.Template)
	runAs, err := user(security, inspected)
	if err != nil {
		return nil, err
	}
	variables, environment, err := e.variables(container, folder)
	if err != nil {
		return nil, err
	}
	mounts, err := e.mounts(container, folder, runner)
	if err != nil {
		return nil, err
	}
	arguments := slices.Concat([]string{"create", "--pull", "never", "--log-driver", "none", "--name", container.Name,
		"--user", runAs, "--entrypoint", entrypoint(command[0], e.podman)}, interactive(container),
		e.labels(container), security.arguments(e.podman),
		limits(own.Resources), variables, mounts)
	if container.WorkingDir != "" {
		arguments = append(arguments, "--workdir", container.WorkingDir)
	}
	if network := e.network(pod); network != "" {
		arguments = append(arguments, "--network", network)
	}
	for _, alias := range pod.HostAliases {
		for _, name := range alias.Hostnames {
			arguments = append(arguments, "--add-host", name+":"+alias.IP)
		}
	}
	// Not interrupted: without its id, a container could not be removed.
	created := e.command(context.WithoutCancel(ctx), slices.Concat(arguments, []string{"--", inspected.ID}, command[1:])...)
	created.Env = append(created.Env, environment...)
	return created, nil
}

// podOf returns the spec of a Pod template, or an empty one.
func podOf(template *corev1.PodTemplateSpec) *corev1.PodSpec {
	if template == nil {
		return &corev1.PodSpec{}
	}
	return &template.Spec
}

// entrypoint returns the value of the flag --entrypoint. podman accepts a JSON list, so the program is not parsed.
func entrypoint(program string, podman bool) string {
	if !podman {
		return program
	}
	list, _ := json.Marshal([]string{program}) // a list of strings can always be encoded
	return string(list)
}

func (e *Engine) labels(container localrun.Container) []string {
	flags := make([]string, 0, 2*(len(container.Labels)+1))
	if container.Keep == "" { // a kept container has no owner, so that it is not removed as one that a process has left
		flags = append(flags, "--label", localrun.LabelOwner+"="+e.owner)
	}
	for _, key := range slices.Sorted(maps.Keys(container.Labels)) {
		flags = append(flags, "--label", key+"="+container.Labels[key])
	}
	return flags
}

func (e *Engine) network(pod *corev1.PodSpec) string {
	if pod.HostNetwork {
		return "host"
	}
	return e.options.Network
}

// limits returns the flags of `create` for resource limits. As in a cluster, there is no swap.
func limits(resources corev1.ResourceRequirements) []string {
	var flags []string
	if memory := resources.Limits.Memory().Value(); memory > 0 {
		bytes := strconv.FormatInt(memory, 10)
		flags = append(flags, "--memory", bytes, "--memory-swap", bytes)
	}
	if milli := resources.Limits.Cpu().MilliValue(); milli > 0 {
		flags = append(flags, "--cpus", strconv.FormatFloat(float64(milli)/1000, 'f', 3, 64))
	}
	return flags
}

// ioFolder returns the folder on this machine with the files for the runner's volume, and later with the outputs.
func ioFolder(folder string) string { return filepath.Join(folder, path.Base(contract.IOFolder)) }

// prepare fills the volume of the runner.
func (e *Engine) prepare(ctx context.Context, id, folder string, plan contract.Plan) error {
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o777)); err != nil {
		return err
	}
	volume, err := runner.OpenVolume(folder)
	if err != nil {
		return err
	}
	if err := volume.Prepare(plan); err != nil {
		return err
	}
	var stream bytes.Buffer
	if err := writeTar(&stream, folder); err != nil {
		return err
	}
	command := e.command(ctx, "cp", "-", id+":"+path.Dir(contract.IOFolder))
	command.Stdin = &stream
	_, err = e.finish(command)
	return err
}

// stopAgain is the delay before stopping a container again that was not yet running.
const stopAgain = 200 * time.Millisecond

// start starts a container and waits for its end. When the context ends, the container is stopped as a kubelet does.
func (e *Engine) start(ctx context.Context, id string, container localrun.Container, log io.Writer) (
	interrupted bool, err error,
) {
	grace := container.GracePeriod()
	command := e.attach(context.WithoutCancel(ctx), id, container, log)
	ended := make(chan error, 1)
	go func() { ended <- command.Run() }()
	select {
	case err := <-ended:
		return false, err
	case <-ctx.Done():
	}
	select {
	case err := <-ended: // both happened at once
		return false, err
	default:
	}
	for {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(grace)*time.Second+removeTimeout)
		_, err := e.output(limited, "stop", "--time", strconv.FormatInt(grace, 10), id)
		cancel()
		select {
		case err := <-ended:
			return true, err
		case <-time.After(stopAgain):
		}
		if err != nil && limited.Err() != nil {
			_ = command.Process.Kill()
			return true, fmt.Errorf("cannot stop the container: %w", err)
		}
	}
}
