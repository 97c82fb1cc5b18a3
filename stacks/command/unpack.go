// Package command has the subcommands of rplug for Crossplane's stacks and packages:
//
//	func main() { rplug.Main(command.Extension()) }
package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/install"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/rights"
	v010 "github.com/resource-plugins/krm-functions/stacks/v010"
)

// compatibleVersion is the release of crossplane whose output unpack and render can print.
const compatibleVersion = "v0.10"

// unpackFlags are the flags of rplug unpack.
type unpackFlags struct {
	scope, image, templatingImage, compatible string

	rules map[string]string
}

// Extension returns the feature with its rplug.
func Extension() rplug.Extension {
	return rplug.Extension{
		Extension: install.Extension(),
		Commands: func(io.Writer, renderphase.Extensions) []*cobra.Command {
			return []*cobra.Command{unpackCommand()}
		},
		List: list, Versions: versions,
	}
}

func unpackCommand() *cobra.Command {
	var flags unpackFlags
	command := &cobra.Command{
		Use: "unpack PATH", GroupID: rplug.GroupCatalogs, Args: rplug.Arguments(1, 1), RunE: flags.run,
		Short: "Print the objects of a Crossplane package of v0.3 to v0.10",
		Long: "Print the CRDs and the Stack or StackDefinition of a Crossplane package of v0.3 to v0.10: what\n" +
			"its unpack Job gave to the stack manager. PATH is a .registry folder or one that holds it, an OCI\n" +
			"layout as a folder or tar, or a tar that docker save wrote. Findings go to stderr, and nothing is\n" +
			"printed if one of them is an error.\n\n" +
			"The tag of the image is the version of a package that names none. A template stack whose\n" +
			"behavior.yaml names no controller gets " + registry.DefaultTemplatingImage + ".\n\n" +
			"With --compatible v0.10 the output has the bytes of `stack unpack` of crossplane v0.10.0, faults\n" +
			"included, and a refusal its text. As there, the scope is Namespaced by default, and a template\n" +
			"stack gets no controller by default. Messages name files below .registry.\n\n" + rplug.ExitCodes,
		Example: "  rplug unpack . --permission-scope Cluster --image registry.example.org/acme/redis:v0.1.0",
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&flags.scope, "permission-scope", "", "`SCOPE` that the package must have: Cluster or Namespaced")
	f.StringVar(&flags.image, "image", "", "`NAME:TAG` of the package, in place of that of PATH")
	f.StringVar(&flags.templatingImage, "templating-controller-image", "", "`IMAGE` of a template stack's controller")
	f.StringToStringVar(&flags.rules, "rules", nil, "`LEVEL` of "+rights.Rule+"[/NAME]")
	f.StringVar(&flags.compatible, "compatible", "", "print what a `VERSION` of crossplane printed: "+compatibleVersion)
	rplug.Register(command, "permission-scope", rplug.CompleteOne(v1alpha1.ScopeCluster, v1alpha1.ScopeNamespaced))
	rplug.Register(command, "rules", rplug.CompleteOne(rights.Rule+"=off", rights.Rule+"=warning", rights.Rule+"=error"))
	rplug.Register(command, "compatible", rplug.CompleteOne(compatibleVersion))
	return command
}

// check refuses wrong values of flags.
func (f *unpackFlags) check() error {
	switch {
	case f.scope != "" && f.scope != v1alpha1.ScopeCluster && f.scope != v1alpha1.ScopeNamespaced:
		return fmt.Errorf("--permission-scope must be %s or %s, not %q", v1alpha1.ScopeCluster, v1alpha1.ScopeNamespaced, f.scope)
	case f.compatible != "" && f.compatible != compatibleVersion:
		return fmt.Errorf("--compatible must be %s, not %q", compatibleVersion, f.compatible)
	}
	if wrong := rights.CheckLevels(f.rules); len(wrong) > 0 {
		return fmt.Errorf("--rules: %w", wrong)
	}
	return nil
}

func (f *unpackFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	contents, err := readRegistry(args[0])
	if err != nil {
		return err
	}
	options := registry.Options{
		Scope: f.scope, Image: f.image, TemplatingImage: f.templatingImage, Dir: contents.Path,
	}
	if options.Image == "" {
		options.Image = contents.Reference()
	}
	if f.compatible != "" {
		return f.unpackCompatible(c, contents, options)
	}
	if options.Image == "" {
		if options.Name, err = folderName(contents); err != nil {
			return err
		}
	}
	unpacked, results := pack.Unpack(contents.Files, options)
	var text []byte
	if unpacked != nil {
		if text, err = unpacked.YAML(); err != nil {
			return err
		}
		results = append(results, f.checkRights(contents, append(slices.Clone(unpacked.CRDs), unpacked.Record), f.rules)...)
	}
	if err := report.Refused(results); err != nil {
		return err
	}
	for _, result := range results {
		_, _ = fmt.Fprintln(c.ErrOrStderr(), report.Line(result, report.Style{}))
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}

// checkRights checks the rights of the controller of the package that has the objects.
func (f *unpackFlags) checkRights(
	contents *pack.Contents, objects []*yaml.Node, rules map[string]string,
) (found krm.Results) {
	items := make([]*krm.Item, len(objects))
	for i, object := range objects {
		items[i] = krm.FromSource(object, stacks.InPackage(contents.Path))
	}
	pack.Mark(items, cmp.Or(f.image, contents.Reference()))
	for _, p := range pack.Find(krm.NewList(items...)) {
		found = append(found, rights.Results(p, rules)...)
	}
	return found
}

// readRegistry reads the only package of a path, which must have the form of v0.3 to v0.10.
func readRegistry(name string) (*pack.Contents, error) {
	packages, err := pack.ReadPath(name)
	switch {
	case errors.Is(err, pack.ErrNoPackage):
		return nil, rplug.Refuse(err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, rplug.Refuse(err)
	case len(packages) > 1:
		var found []string
		for _, one := range packages {
			found = append(found, one.Path)
		}
		return nil, rplug.Refuse(fmt.Errorf("%q must hold one package, not %d: %s",
			name, len(packages), strings.Join(found, ", ")))
	case packages[0].Form != pack.FormRegistry:
		return nil, rplug.Refuse(fmt.Errorf("%q must be a package with a %s folder: the documents of %s are there already", name,
			registry.Folder, pack.StreamFile))
	}
	return packages[0], nil
}

// folderName returns the name of the folder that holds a package. The record gets this name if the image is not known.
func folderName(contents *pack.Contents) (string, error) {
	absolute, err := filepath.Abs(filepath.FromSlash(path.Dir(contents.Path)))
	return filepath.Base(absolute), err
}

// unpackCompatible prints the output of crossplane v0.10.0.
func (f *unpackFlags) unpackCompatible(c *cobra.Command, contents *pack.Contents, options registry.Options) error {
	text, err := v010.Unpack(contents.Files, v010.Options{
		Dir: registry.Folder, Scope: cmp.Or(options.Scope, v1alpha1.ScopeNamespaced), Image: options.Image,
		TemplatingImage: options.TemplatingImage,
	})
	if err != nil {
		for line := range strings.SplitSeq("error: cannot unpack stack: failed to unpack stacks: "+err.Error(), "\n") {
			_, _ = fmt.Fprintln(c.ErrOrStderr(), report.Printable(line))
		}
		return rplug.Exit(rplug.ExitFindings)
	}
	objects, err := (&kio.ByteReader{Reader: bytes.NewReader(text), OmitReaderAnnotations: true}).Read()
	if err != nil {
		return err
	}
	nodes := make([]*yaml.Node, len(objects))
	for i, object := range objects {
		nodes[i] = object.YNode()
	}
	for _, found := range f.checkRights(contents, nodes, map[string]string{rights.Rule: string(krm.Warning)}) {
		_, _ = fmt.Fprintln(c.ErrOrStderr(), report.Line(found, report.Style{}))
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}
