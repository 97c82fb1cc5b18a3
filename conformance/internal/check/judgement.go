package check

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// judgement is the state of one check.
type judgement struct {
	suite    *Suite
	c        *suite.Case
	runs     []*run
	problems []string
	unknown  string // why nothing could be judged
}

// maxProblems is the number of problems of a case that are reported.
const maxProblems = 10

func (j *judgement) problem(format string, args ...any) {
	if len(j.problems) < maxProblems {
		j.problems = append(j.problems, fmt.Sprintf(format, args...))
	}
}

// problemOf reports a problem of one of all runs.
func (j *judgement) problemOf(r *run, format string, args ...any) {
	r.faulty = true
	j.problem("in the run of %s: %s", r.of, fmt.Sprintf(format, args...))
}

// only is the first run.
func (j *judgement) only() *run { return j.runs[0] }

// answered reports whether the first run was successful and has a list, and else the problem.
func (j *judgement) answered() bool {
	r := j.only()
	if failure := r.failure(j.suite.Profile); failure != "" {
		j.problem("%s", failure)
		return false
	}
	if r.err != nil {
		j.problem("%s", r.err)
		return false
	}
	return true
}

// runOf returns the first run of another case, nil if it was not run.
func (j *judgement) runOf(id string) *run {
	for _, r := range j.suite.all {
		if r.of == id {
			return r
		}
	}
	j.unknown = "needs the run of " + id
	return nil
}

// checks are the checks that cases name.
var checks = map[string]func(*judgement) error{
	"succeeds":         succeeds,
	"one-document":     oneDocument,
	"schema":           schema,
	"unique-items":     uniqueItems,
	"unique-paths":     uniquePaths,
	"folders":          folders,
	"kptfile":          kptfile,
	"unique-keys":      uniqueKeys,
	"utf8":             utf8Output,
	"equal-items":      equalItems,
	"items-or-refusal": itemsOrRefusal,
	"refuses":          refuses,
	"values":           values,
	"texts":            texts,
	"comments":         comments,
	"order":            order,
	"field-order":      fieldOrder,
	"unchanged":        unchanged,
	"same-exit":        sameExit,
	"same-output":      sameOutput,
	"same-bytes":       sameBytes,
	"idempotent":       idempotent,
	"no-files":         noFiles,
	"finds":            finds,
	"ends":             ends,
	"time":             cpuTime,
	"memory":           memory,
	"no-crash":         noCrash,
	"explained":        explained,
	"stdout-reserved":  stdoutReserved,
	"final-newline":    finalNewline,
	"error-exit":       errorExit,
	"every-schema":     everySchema,
}
