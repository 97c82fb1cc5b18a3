// Package benchstat pins benchstat, with which `make bench` tells spread from difference.
package benchstat
