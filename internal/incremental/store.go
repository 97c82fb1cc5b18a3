package incremental

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// Options say whose cache it is.
type Options struct {
	// Folder is the one that objects are rendered to.
	Folder string
	// Settings are all that objects depend on beside documents: the version of the program, and its options.
	Settings string
}

// The files of the cache: indexes in a folder of the cache directory, and their key in one of the configuration directory.
const (
	programFolder = "rplug"
	indexFolder   = "build"
	keyFile       = "build-cache.key"
)

// Limits of the cache: how many indexes are kept, the newest ones, and how large each may be.
const (
	maxIndexes = 32
	maxIndex   = 256 << 20
)

// store is where the index of a folder and its options is.
type store struct {
	folder, name string // of the index
	keyFolder    string
}

// errUnsupported is the error of systems whose files lack a user, or the time of the last change.
var errUnsupported = errors.New("files must have users and times of changes")

// newStore returns the store for options.
func newStore(options Options) (*store, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	configs, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	program, err := programFacts()
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(options.Folder)
	if err != nil {
		return nil, err
	}
	working, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", folder, working, options.Settings, program))
	return &store{
		folder: filepath.Join(caches, programFolder, indexFolder), name: hex.EncodeToString(sum[:16]),
		keyFolder: filepath.Join(configs, programFolder),
	}, nil
}

// programFacts identify the program: two builds of one version may differ.
func programFacts() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return "", err
	}
	f := factsOf(file)
	if f == (facts{}) {
		return "", errUnsupported
	}
	f.Taken = 0
	return fmt.Sprint(file, f), nil
}

// read returns the index, or an error with the reason.
func (s *store) read() (*index, error) {
	text, err := readPrivate(s.folder, s.name, maxIndex)
	if err != nil {
		return nil, err
	}
	key, err := readPrivate(s.keyFolder, keyFile, sha256.Size)
	if err != nil {
		return nil, err
	}
	sum, content, ok := cut(text)
	if !ok || !hmac.Equal(sum, s.sum(key, content)) {
		return nil, fmt.Errorf("%s was not written by this program for this user", filepath.Join(s.folder, s.name))
	}
	// Paths may be any bytes, and the limit is that of the file.
	options := cbor.DecOptions{MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, UTF8: cbor.UTF8DecodeInvalid}
	decoder, err := options.DecMode()
	if err != nil {
		return nil, err
	}
	x := &index{}
	if err := decoder.Unmarshal(content, x); err != nil {
		return nil, err
	}
	return x, nil
}

func cut(text []byte) (sum, content []byte, ok bool) {
	if len(text) < sha256.Size {
		return nil, nil, false
	}
	return text[:sha256.Size], text[sha256.Size:], true
}

// sum authenticates the content of the index.
func (s *store) sum(key, content []byte) []byte {
	sum := hmac.New(sha256.New, key)
	_, _ = io.WriteString(sum, s.name+"\n")
	_, _ = sum.Write(content)
	return sum.Sum(nil)
}

// isPrivate reports whether only this user can change a file or folder.
func isPrivate(info fs.FileInfo) bool { return isOwn(info) && info.Mode().Perm()&0o022 == 0 }

// readPrivate reads a file that only the user can change, in such a folder.
func readPrivate(folder, name string, limit int64) ([]byte, error) {
	info, err := os.Lstat(folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !isPrivate(info) {
		return nil, fmt.Errorf("%s must be a folder that only you can change", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if info, err = root.Lstat(name); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !isPrivate(info) || info.Size() > limit {
		return nil, fmt.Errorf("%s must be a file that only you can change", filepath.Join(folder, name))
	}
	return root.ReadFile(name)
}

// write replaces the index, and removes the oldest ones if there are too many.
func (s *store) write(ctx context.Context, x *index) error {
	key, err := s.newKey(ctx)
	if err != nil {
		return err
	}
	content, err := cbor.Marshal(x)
	if err != nil {
		return err
	}
	if len(content) > maxIndex {
		return errors.Join(fmt.Errorf("the index would have more than %d MiB", maxIndex>>20), s.remove())
	}
	lock, err := lockFolder(ctx, s.folder)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if err := lock.ReplacePrivate(s.name, slices.Concat(s.sum(key, content), content)); err != nil {
		return err
	}
	return s.evict(lock)
}

// lockFolder locks a folder, which may have to be made: not in one of another user, such as that of a user who is root for
// one command.
func lockFolder(ctx context.Context, folder string) (*atomicfile.FolderLock, error) {
	for above := folder; ; above = filepath.Dir(above) {
		info, err := os.Lstat(above)
		if errors.Is(err, fs.ErrNotExist) && above != filepath.Dir(above) {
			continue
		}
		if err == nil && !isOwn(info) {
			err = fmt.Errorf("%s must be your folder", above)
		}
		if err != nil {
			return nil, err
		}
		break
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	return atomicfile.LockFolder(ctx, folder)
}

// newKey returns the key that authenticates indexes. It makes one if it is missing.
func (s *store) newKey(ctx context.Context) ([]byte, error) {
	key, err := readPrivate(s.keyFolder, keyFile, sha256.Size)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	lock, err := lockFolder(ctx, s.keyFolder)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	key, err = readPrivate(s.keyFolder, keyFile, sha256.Size)
	if errors.Is(err, fs.ErrNotExist) { // no other program has made it meanwhile
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
		err = lock.ReplacePrivate(keyFile, key)
	}
	return key, err
}

// evict removes the oldest indexes.
func (s *store) evict(lock *atomicfile.FolderLock) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return err
	}
	var indexes []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && len(entry.Name()) == len(s.name) {
			indexes = append(indexes, info)
		}
	}
	slices.SortFunc(indexes, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var old []string
	for i := maxIndexes; i < len(indexes); i++ {
		old = append(old, indexes[i].Name())
	}
	return lock.RemoveAll(old)
}

// remove removes the index.
func (s *store) remove() error {
	if err := os.Remove(filepath.Join(s.folder, s.name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
