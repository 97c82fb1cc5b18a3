// Command foreign tests KRM functions of other projects with krm-conformance. It builds the functions of functions.yaml,
// runs the suite on each, and writes a page with a table, and a file for each function that failed cases, with the input and
// output of their runs. causes.yaml has the cause of each failure, which was confirmed by hand; a failure without one is an
// error.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log := func(format string, args ...any) { fmt.Fprintf(os.Stderr, "foreign: "+format+"\n", args...) }
	suite := flag.String("suite", "", "the program krm-conformance")
	bin := flag.String("bin", "", "the folder for the programs of the functions")
	data := flag.String("data", "", "the folder for inputs and outputs of failed cases")
	page := flag.String("page", "", "the page with the table")
	only := flag.String("only", "", "test these functions only, separated by commas, and write no page")
	flag.Parse()
	if *suite == "" || *bin == "" || *data == "" || *page == "" || flag.NArg() > 0 {
		log("must have --suite, --bin, --data and --page")
		os.Exit(2)
	}
	if err := run(*suite, *bin, *data, *page, *only, log); err != nil {
		log("%s", err)
		os.Exit(1)
	}
}

func run(suite, bin, data, page, only string, log func(string, ...any)) error {
	functions, err := readFunctions()
	if err != nil {
		return err
	}
	causes, err := readCauses()
	if err != nil {
		return err
	}
	if only != "" {
		names := strings.Split(only, ",")
		functions = slices.DeleteFunc(functions, func(f *function) bool { return !slices.Contains(names, f.Name) })
	}
	builder := &builder{folder: bin}
	reports := make([]*result, 0, len(functions))
	for _, f := range functions {
		log("%s", f.Name)
		made, err := test(builder, suite, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		reports = append(reports, made)
	}
	unexplained := causes.explain(reports, only == "")
	for _, made := range reports {
		if err := made.write(filepath.Join(data, made.Function.Name+".yaml")); err != nil {
			return err
		}
	}
	if unexplained != nil || only != "" {
		return unexplained
	}
	return os.WriteFile(page, []byte(table(reports, causes)), 0o644) //nolint:gosec // a page of the repository
}
