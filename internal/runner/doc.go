// Package runner is the program that replaces the command of main. It runs the script as main would have run it. While the
// script runs it holds the lock of the shared volume, forwards signals and reaps orphans; then it copies the outputs to the
// volume, or reports in one line why the step failed. The type Runner exists only on Linux. Volume, with which it exchanges
// files with the managers, and Reporter, which writes messages, are those of all containers of a step.
package runner
