// Package benchstat pins benchstat, which `make bench` uses to compare measurements.
package benchstat
