// Package images holds what `make images` makes against the programs in it: under a real docker, with nothing allowed, a
// function must answer as its program does, and two clean builds must give the same images.
package images
