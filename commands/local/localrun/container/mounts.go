package container

import (
	"archive/tar"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// mount returns the value of the flag --mount: a line of CSV, so that paths may contain commas and quotes.
func mount(fields ...string) (string, error) {
	for _, field := range fields {
		if strings.ContainsAny(field, "\r\n") {
			return "", fmt.Errorf("path %q must not contain line breaks", field[strings.IndexByte(field, '=')+1:])
		}
	}
	var text strings.Builder
	writer := csv.NewWriter(&text)
	err := writer.Write(fields)
	writer.Flush()
	return strings.TrimSuffix(text.String(), "\n"), errors.Join(err, writer.Error())
}

// checkPath checks the path of a mount as the API server does.
func checkPath(file string) error {
	if !path.IsAbs(file) || path.Clean(file) == "/" || strings.Contains(file, ":") {
		return fmt.Errorf("path %q of a mount of main must be absolute, not that of the root folder, and without \":\"", file)
	}
	return nil
}

// mounts returns the flags of `create` for files and folders. The contents of files are written to folder.
func (e *Engine) mounts(container localrun.Container, folder, runner string) ([]string, error) {
	var flags []string
	add := func(fields ...string) error {
		value, err := mount(fields...)
		flags = append(flags, "--mount", value)
		return err
	}
	var errs []error
	for i, file := range container.Files {
		source := filepath.Join(folder, "file-"+strconv.Itoa(i))
		errs = append(errs, checkPath(file.Path), writeFile(source, file.Content, file.Mode),
			add("type=bind", "source="+source, "target="+path.Clean(file.Path), "readonly"))
	}
	if container.Plan != nil {
		errs = append(errs, add("type=volume", "target="+path.Dir(contract.IOFolder)),
			add("type=bind", "source="+runner, "target="+contract.RunnerFile, "readonly"))
	}
	message := container.TerminationMessagePath()
	errs = append(errs, checkPath(message), writeFile(messageFile(folder), nil, 0o666),
		add("type=bind", "source="+messageFile(folder), "target="+message))
	for i, target := range container.Folders {
		if container.Plan != nil && path.Clean(target) == contract.IOFolder {
			continue
		}
		errs = append(errs, checkPath(target))
		target, size := path.Clean(target), sizeLimit(container.Template, target)
		switch {
		case !e.podman:
			// An anonymous volume that is a tmpfs can have a mode; --tmpfs uses that of the image's folder.
			errs = append(errs, add("type=volume", "target="+target, "volume-nocopy", "volume-opt=type=tmpfs",
				"volume-opt=device=tmpfs", "volume-opt=o=mode=0777"+size))
		case size != "":
			flags = append(flags, "--tmpfs", target+":rw,exec,notmpcopyup,mode=0777"+size)
		default:
			source := filepath.Join(folder, "folder-"+strconv.Itoa(i))
			errs = append(errs, os.Mkdir(source, 0o700), os.Chmod(source, 0o777),
				add("type=bind", "source="+source, "target="+target))
		}
	}
	return flags, errors.Join(errs...)
}

// sizeLimit returns the tmpfs option for the sizeLimit of the emptyDir mounted at a path, or "".
func sizeLimit(template *corev1.PodTemplateSpec, target string) string {
	for _, mounted := range main(template).VolumeMounts {
		if mounted.MountPath != target {
			continue
		}
		for _, volume := range template.Spec.Volumes {
			if volume.Name == mounted.Name && volume.EmptyDir != nil && volume.EmptyDir.SizeLimit != nil {
				return ",size=" + strconv.FormatInt(volume.EmptyDir.SizeLimit.Value(), 10)
			}
		}
	}
	return ""
}

// removeFolder removes the files that a container has mounted. Files of the container's users are removed in the user
// namespace of rootless podman.
func (e *Engine) removeFolder(ctx context.Context, folder string) error {
	err := os.RemoveAll(folder)
	if err == nil || !e.podman {
		return err
	}
	_, err = e.output(ctx, "unshare", "rm", "-rf", "--", folder)
	return err
}

// messageFile returns the file on this machine that is mounted for the termination message.
func messageFile(folder string) string { return filepath.Join(folder, "message") }

// writeFile writes a file with a mode, regardless of the umask.
func writeFile(file string, content []byte, mode fs.FileMode) error {
	return errors.Join(os.WriteFile(file, content, 0o600), os.Chmod(file, mode.Perm()))
}

// writeTar writes a folder and its files as a tar, under its base name and owned by root.
func writeTar(stream io.Writer, folder string) error {
	archive := tar.NewWriter(stream)
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(folder), file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: filepath.ToSlash(name), Mode: int64(info.Mode().Perm()), Typeflag: tar.TypeDir}
		if entry.IsDir() {
			header.Name += "/"
			return archive.WriteHeader(header)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		header.Typeflag, header.Size = tar.TypeReg, int64(len(content))
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	return errors.Join(err, archive.Close())
}
