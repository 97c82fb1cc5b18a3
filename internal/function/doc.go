// Package function holds the KRM functions, one file for each with its config and what it does to a list: the config
// is a type of api/v1alpha1, and its Process calls pkg/validate, pkg/resolve and pkg/render. A cli.Function describes it
// for its main and for commands:
//
//	func main() { cli.Main(function.ValidatePlugin()) }
package function
