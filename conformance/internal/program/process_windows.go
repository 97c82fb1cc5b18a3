package program

import (
	"os"
	"syscall"
)

func unprivileged() (*syscall.SysProcAttr, error) {
	return nil, Unavailable{"needs Linux or macOS"}
}

func memory(*os.ProcessState) int64 { return 0 }

func signal(*os.ProcessState) string { return "" }
