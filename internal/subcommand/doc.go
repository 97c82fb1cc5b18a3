// Package subcommand holds common parts of rplug's subcommands, including those of features: exit codes, refusals, the
// groups of the help, arguments, completion and --output. A subcommand is a cobra.Command whose RunE returns an error:
//
//	command := &cobra.Command{Use: "unpack PATH", GroupID: subcommand.GroupPackages, Args: subcommand.Arguments(1, 1)}
//	command.RunE = func(c *cobra.Command, args []string) error { return subcommand.Refuse(check(args[0])) }
package subcommand
