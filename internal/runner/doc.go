// Package runner is the program that replaces the command of main. It runs the script as main would have run it. While the
// script runs it holds the lock of the shared volume, forwards signals and reaps orphans; then it copies the outputs to the
// volume, or reports in one line why the step failed. Its type Runner exists on Linux alone.
package runner
