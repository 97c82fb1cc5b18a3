// Command sbom lists the contents of a release archive: its programs, and the Go modules that the linker recorded in each.
// The list is a CycloneDX document without a serial number and a time: the same archive gives the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "", "`version` of the programs")
	output := flags.String("output", "", "`file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *version == "" || *output == "" || flags.NArg() != 1 {
		return errors.New("-version, -output and one archive must be given")
	}
	archive := flags.Arg(0)
	programs, err := readPrograms(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	return write(*output, document(filepath.Base(archive), *version, programs))
}

func write(path string, bom *cdx.BOM) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return errors.Join(err, file.Close())
}
