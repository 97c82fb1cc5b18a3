package rplug

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/oci"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// targetFlags declares the flags for the target of a reference.
func targetFlags(flags *pflag.FlagSet) *oci.TargetOptions {
	o := &oci.TargetOptions{DockerConfig: dockerConfig()}
	flags.BoolVar(&o.Layout, "oci-layout", false, "REF is a folder in OCI layout, DIR:TAG or DIR@DIGEST")
	flags.BoolVar(&o.PlainHTTP, "plain-http", false, "do not encrypt; a registry on this machine never is")
	return o
}

// dockerConfig returns docker's configuration file, in the folder that docker looks into.
func dockerConfig() string {
	home, _ := os.UserHomeDir()
	return filepath.Join(cmp.Or(os.Getenv("DOCKER_CONFIG"), filepath.Join(home, ".docker")), "config.json")
}

// forceFlag declares the flag --force.
func forceFlag(flags *pflag.FlagSet) *bool {
	return flags.Bool("force", false, "drop versions and notes that the new catalog lacks, and print them")
}

// printDropped prints to stderr what --force dropped.
func printDropped(c *cobra.Command, dropped []resolve.Change) {
	for _, change := range dropped {
		Complain(c.ErrOrStderr(), c, fmt.Sprintf("%s is not %s any more", change.Subject, change.Lost))
	}
}

func pushCommand(features []extension.Extension) *cobra.Command {
	command := &cobra.Command{
		Use: "push REF [PATH...]", Args: Arguments(1, -1),
		Short: "Store a catalog with its plugins in a registry",
		Long: "REF is REGISTRY/REPOSITORY:TAG, or with --oci-layout DIR:TAG. Plugin documents are those below\n" +
			"the paths (default: the catalog's folder): one for each version that is listed. What the tag has\n" +
			"already must be kept: versions, and that they are yanked or deprecated. Credentials are those in\n" +
			"docker's config.json; helper programs are not run.",
		Example: "  rplug catalog push registry.example.com/platform/plugins:v1 --catalog plugins/catalog.yaml",
	}
	file := command.Flags().StringP("catalog", "c", "catalog.yaml", "the catalog's `FILE`")
	in := Inputs{Features: features}
	o := targetFlags(command.Flags())
	force := forceFlag(command.Flags())
	command.RunE = func(c *cobra.Command, args []string) error {
		if strings.Contains(args[0], "@") {
			return fmt.Errorf("%q must have a tag, not a digest", args[0])
		}
		folder := filepath.Dir(*file)
		paths := args[1:]
		if len(paths) == 0 {
			paths = []string{folder}
		}
		catalog, err := readCatalogFile(*file)
		if err != nil {
			return err
		}
		items, err := in.Read(paths, c.InOrStdin())
		if err != nil {
			return err
		}
		bundle, err := oci.Pack(catalog, ofKind(contract.ResourcePlugin, items), folder)
		if err != nil {
			return Refuse(err)
		}
		target, tag, err := oci.OpenTarget(c.Context(), args[0], *o)
		if err != nil {
			return err
		}
		defer func() { _ = target.Close() }()
		sum, dropped, err := oci.Push(c.Context(), target, tag, bundle, *force)
		if err != nil {
			return Refuse(oci.Explain(err, args[0], tag))
		}
		printDropped(c, dropped)
		fmt.Fprintln(c.OutOrStdout(), sum)
		return nil
	}
	return in.ReadProject(command)
}

func pullCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "pull REF DIR", Args: Arguments(2, 2),
		Short: "Fetch a catalog with its plugins from a registry, and verify them",
		Long: "REF is REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST, or with --oci-layout DIR:TAG or\n" +
			"DIR@DIGEST. Nothing is written before the OCI digests and the digests that the catalog has of its\n" +
			"plugins are verified. The new catalog must keep what one in DIR has: versions, and that they\n" +
			"are yanked or deprecated. No plugin document in DIR is replaced by another.",
		Example: "  rplug catalog pull registry.example.com/platform/plugins:v1 plugins/",
	}
	o := targetFlags(command.Flags())
	force := forceFlag(command.Flags())
	command.RunE = func(c *cobra.Command, args []string) error {
		source, tag, err := oci.OpenSource(c.Context(), args[0], *o)
		if err != nil {
			return err
		}
		bundle, sum, err := oci.Fetch(c.Context(), source, tag)
		if err != nil {
			return Refuse(oci.Explain(err, args[0], tag))
		}
		changed, dropped, err := bundle.Unpack(c.Context(), args[1], *force)
		if err != nil {
			return Refuse(err)
		}
		printDropped(c, dropped)
		fmt.Fprintln(c.OutOrStdout(), sum)
		for _, name := range changed {
			fmt.Fprintln(c.OutOrStdout(), name)
		}
		return nil
	}
	return command
}
