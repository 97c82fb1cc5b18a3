// Package suite holds the cases of the suite, as data: the files in the folder cases. A Case has the input that a function
// gets, the conditions under which it runs, and the check of its behaviour. Load returns all of them.
package suite

// Level is how binding a case is.
type Level string

// The levels, from the most binding to the least.
const (
	Must       Level = "MUST"       // a sentence of the specification with MUST or MUST NOT, or its schema
	Should     Level = "SHOULD"     // a sentence of the specification with SHOULD or SHOULD NOT
	Statement  Level = "statement"  // a sentence of the specification without a keyword of RFC 2119
	Convention Level = "convention" // an assumption of kustomize or kpt beyond the specification
)

// Levels are all levels, from the most binding to the least.
var Levels = []Level{Must, Should, Statement, Convention}

// Profile is the declared purpose of a function, so that serving this purpose is not a failure.
type Profile string

// The profiles.
const (
	Generator   Profile = "generator"   // adds items, and keeps the others as they are
	Transformer Profile = "transformer" // changes items
	Validator   Profile = "validator"   // reports results and changes nothing; it may reject the items of the suite
)

// Profiles are all profiles.
var Profiles = []Profile{Generator, Transformer, Validator}

// Case is one case.
type Case struct {
	// ID is the name, such as "input/json": its file and a name that is unique in it.
	ID string `yaml:"-"`
	// Name is the second part of the ID.
	Name string `yaml:"name"`
	// Title is the expectation in one line.
	Title string `yaml:"title"`
	// Level is how binding the case is.
	Level Level `yaml:"level"`
	// Sentence is quoted from the specification. A convention has none; By is who relies on it.
	Sentence string `yaml:"sentence"`
	By       string `yaml:"by"`
	// Reason is the harm to users of a function that fails.
	Reason string `yaml:"reason"`
	// Profiles are the profiles that the case applies to; all if empty.
	Profiles []Profile `yaml:"profiles"`
	// Needs is the case that must pass first: without it the output cannot be judged. The default is output/items; "none" is
	// no case.
	Needs string `yaml:"needs"`
	// Every makes the case judge all runs of the other cases; it has no run.
	Every bool `yaml:"every"`

	Run   Run   `yaml:"run"`
	Check Check `yaml:"check"`
}

// Run describes how the function is run.
type Run struct {
	// Input is the text on stdin. In it, ${config} is the functionConfig, and ${items} are the items that the user names;
	// in flow style, ${, items}. The default is the plain list of the suite.
	Input string `yaml:"input"`
	// Form changes the input as a whole: json, crlf, bom, no-final-newline, not-utf8.
	Form string `yaml:"form"`
	// Size replaces the items of the suite by this many.
	Size int `yaml:"size"`
	// Config is the functionConfig: given (the default) is the user's, else absent, null, empty, function-input or
	// unknown-kind.
	Config string `yaml:"config"`
	// File takes the input from a file that the user names: invalid.
	File string `yaml:"file"`
	// Conditions restrict the process: see program.Run.
	Conditions []string `yaml:"conditions"`
	// Again runs the function again: same (with the same input), or output (with its output as input).
	Again string `yaml:"again"`
	// ContainerOnly and ProcessOnly skip the case for programs and for images.
	ContainerOnly bool `yaml:"containerOnly"`
	ProcessOnly   bool `yaml:"processOnly"`
}

// Check names the check, and has its arguments.
type Check struct {
	// Is is the name of the check; package check documents them.
	Is string `yaml:"is"`
	// Of is the part of the output that Schema describes: list, items or results.
	Of string `yaml:"of"`
	// Schema is a JSON Schema.
	Schema any `yaml:"schema"`
	// Values are the values that must be in the output.
	Values []Value `yaml:"values"`
	// Texts are texts that must be in the output.
	Texts []string `yaml:"texts"`
	// Case is the case to compare with, or the smaller one of two sizes.
	Case string `yaml:"case"`
	// Limit is the highest factor between the two sizes, or the highest number of bytes of memory for a byte of input.
	Limit float64 `yaml:"limit"`
}

// Value is an expected value of an item.
type Value struct {
	// Probe identifies the item: the value of a field "probe" in its spec or data, since a function may rename it.
	Probe string `yaml:"probe"`
	// Path is the path of the value.
	Path []string `yaml:"path"`
	// Equals is the value, as YAML text. Optional values may also be absent.
	Equals   string `yaml:"equals"`
	Optional bool   `yaml:"optional"`
}

// AppliesTo reports whether the case applies to functions of a profile.
func (c *Case) AppliesTo(profile Profile) bool {
	for _, p := range c.Profiles {
		if p == profile {
			return true
		}
	}
	return len(c.Profiles) == 0
}
