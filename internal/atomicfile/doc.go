// Package atomicfile changes files so that a reader, another command or a signal never meets half of a change.
//
//   - FolderLock is held by the one process that changes files of a folder, and replaces each file as a whole.
//   - Update and UpdateFile change one file under that lock, and refuse to undo changes that an editor has made meanwhile.
//   - Guard keeps a signal from ending the process while a file is written.
//
// An example:
//
//	update, err := atomicfile.OpenUpdate(ctx, "rplug.lock.yaml", nil)
//	defer update.Close()
//	err = update.Write(content)
package atomicfile
