// Package images tests the images of `make images`: a function must give the same output in docker, without any
// permissions, as its program does, and two clean builds must give the same images.
package images
