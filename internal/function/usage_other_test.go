//go:build !unix

package function

import "os"

// peakMemory is unknown.
func peakMemory(*os.ProcessState) int64 { return 0 }
