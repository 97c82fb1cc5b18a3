package manager

import "syscall"

// ProtectProcess makes files of this process in /proc, such as root and environ, inaccessible to other processes
// without CAP_SYS_PTRACE, even of the same user: with shareProcessNamespace main could read the token of a helper in
// /proc/PID/root. It must be called first. Until then the mode of the program in the image protects the process: it is
// executable but not readable (prctl(2), PR_SET_DUMPABLE).
func ProtectProcess() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0)
}
