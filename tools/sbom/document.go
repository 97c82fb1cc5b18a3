package main

import (
	"cmp"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// document describes an archive: programs that depend on Go modules and on Go's standard library.
func document(archive, version string, programs []program) *cdx.BOM {
	modules := map[string]cdx.Component{}
	components := make([]cdx.Component, 0, len(programs))
	dependencies := make([]cdx.Dependency, 0, len(programs)+1)
	contained := make([]string, 0, len(programs))
	for _, p := range programs {
		ref := "program:" + p.name
		components = append(components, cdx.Component{
			BOMRef: ref, Type: cdx.ComponentTypeApplication, Name: p.info.Path, Version: version,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: p.sha256}},
		})
		libraries := linked(p)
		needs := make([]string, 0, len(libraries))
		for _, module := range libraries {
			modules[module.BOMRef] = module
			needs = append(needs, module.BOMRef)
		}
		slices.Sort(needs)
		dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &needs})
		contained = append(contained, ref)
	}
	components = append(components, slices.SortedFunc(maps.Values(modules), func(a, b cdx.Component) int {
		return cmp.Compare(a.BOMRef, b.BOMRef)
	})...)

	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: "archive:" + archive, Type: cdx.ComponentTypeFile, Name: archive, Version: version,
	}}
	bom.Components = &components
	dependencies = append(dependencies, cdx.Dependency{Ref: bom.Metadata.Component.BOMRef, Dependencies: &contained})
	bom.Dependencies = &dependencies
	return bom
}

// linked returns the modules in a program, and the standard library, which scanners for vulnerabilities look up, too.
func linked(p program) []cdx.Component {
	modules := make([]cdx.Component, 0, len(p.info.Deps)+1)
	modules = append(modules, library(&debug.Module{Path: "stdlib", Version: strings.TrimPrefix(p.info.GoVersion, "go")}))
	for _, module := range p.info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		modules = append(modules, library(module))
	}
	return modules
}

// library returns a module with its package URL: https://github.com/package-url/purl-spec.
func library(module *debug.Module) cdx.Component {
	purl := "pkg:golang/" + module.Path + "@" + strings.ReplaceAll(module.Version, "+", "%2B")
	return cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: module.Path, Version: module.Version, PackageURL: purl,
	}
}
