package transaction

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// plan is a committed transaction: its changes are to be made, or to be undone.
type plan struct {
	// Root is the folder of the files, absolute and without links.
	Root string `json:"root"`
	// Stage is the folder of the old and new contents, relative to Root. Its name is random: another tree at the same place
	// has no such folder.
	Stage   string   `json:"stage"`
	Undo    bool     `json:"undo,omitempty"`
	Changes []change `json:"changes"`
}

// change is the change of one file. The digests are empty if there is no file.
type change struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// digest returns the SHA-256 of a file's content, or "" for nil.
func digest(content []byte) string {
	if content == nil {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// plans is the file in which the plan of a folder is kept.
type plans struct{ root, file string }

// plansOf returns the file for a folder. Its name is empty if the user has no cache folder.
func plansOf(folder string) (plans, error) {
	root, err := filepath.Abs(folder)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return plans{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return plans{root: root}, nil //nolint:nilerr // nothing is interrupted without a cache folder; check reports it
	}
	return plans{root, filepath.Join(cache, "rplug", "transactions", digest([]byte(root))+".json")}, nil
}

// check returns an error if plans cannot be kept, or if others could have put them there.
func (p plans) check() error {
	if p.file == "" {
		_, err := os.UserCacheDir()
		return fmt.Errorf("files are changed with a plan in the cache folder of the user: %w", err)
	}
	folder := filepath.Dir(p.file)
	if p.isInside() {
		return fmt.Errorf("the cache folder %s must be outside of %s: set XDG_CACHE_HOME or HOME", folder, p.root)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return p.checkOwner()
}

// isInside reports whether the plan would be among the files of the folder, where a repository could have put it.
func (p plans) isInside() bool {
	root, err := os.Stat(p.root)
	if err != nil {
		return true
	}
	for folder := filepath.Dir(p.file); ; folder = filepath.Dir(folder) {
		resolved, err := filepath.EvalSymlinks(folder)
		if errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder) {
			continue
		}
		if err != nil {
			return true
		}
		return isBelow(resolved, root)
	}
}

// isBelow reports whether a folder is, or is below, a folder.
func isBelow(folder string, root fs.FileInfo) bool {
	for {
		if info, err := os.Stat(folder); err != nil || os.SameFile(info, root) {
			return true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return false
		}
		folder = parent
	}
}

// checkOwner returns an error if another user could have written the plan.
func (p plans) checkOwner() error {
	for _, name := range []string{filepath.Dir(p.file), p.file} {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 || !isPrivate(info) {
			return fmt.Errorf("%s must be yours, and no link, and no one else may write to it: remove it", name)
		}
	}
	return nil
}

// read returns the plan of an interrupted transaction, or nil. A plan where a repository could have put it does not count.
func (p plans) read() (*plan, error) {
	if p.file == "" || p.isInside() {
		return nil, nil
	}
	if _, err := os.Lstat(p.file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := p.checkOwner(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(p.file)
	if err != nil {
		return nil, err
	}
	found := &plan{}
	if err = json.Unmarshal(text, found); err == nil {
		err = found.check(p.root)
	}
	if err != nil {
		return nil, fmt.Errorf("the plan of an interrupted command cannot be used: %w: remove %s to keep the files as they are",
			err, p.file)
	}
	return found, nil
}

// stageName matches the folder of the contents.
var stageName = regexp.MustCompile(`^` + regexp.QuoteMeta(stagePrefix) + `[A-Z2-7]{26}$`)

// check returns the problem of a plan that no transaction would write.
func (p plan) check(root string) error {
	if p.Root != root {
		return fmt.Errorf("it is about %q", p.Root)
	}
	if !stageName.MatchString(p.Stage) {
		return fmt.Errorf("it has its contents in %q", p.Stage)
	}
	for _, c := range p.Changes {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// write keeps a plan, in place of another one. Its rename is the moment of the commit.
func (p plans) write(of plan) error {
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(p.file), filepath.Base(p.file)+".part-*")
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), p.file)
	}
	if err != nil {
		_ = os.Remove(part.Name())
		return err
	}
	return p.sync()
}

// remove forgets the plan.
func (p plans) remove() error {
	if p.file == "" || p.isInside() {
		return nil
	}
	if err := os.Remove(p.file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, p.sync())
	}
	return nil
}

// sync writes the entries of the cache folder to the disk, where the system can.
func (p plans) sync() error {
	folder, err := os.Open(filepath.Dir(p.file))
	if err != nil {
		return err
	}
	_ = folder.Sync() // some file systems refuse it for folders
	return folder.Close()
}
