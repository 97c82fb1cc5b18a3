package localrun

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stateKey authenticates the records of states: a repository can hold a record, but not one that this user's runs have
// written.
type stateKey []byte

const keySize = 32

// openKey returns the key of the user for the state in a folder. It is kept in the user's cache folder, which must be
// outside of the folder above the state: the error is the reason why it is not kept. The key is then a random one, which no
// record of an earlier run has.
func openKey(folder string) (stateKey, error) {
	key := make(stateKey, keySize)
	_, _ = rand.Read(key) // never fails
	cache, err := os.UserCacheDir()
	if err != nil {
		return key, err
	}
	keep := filepath.Join(cache, "rplug", "state")
	if err := os.MkdirAll(keep, ownerFolder); err != nil {
		return key, err
	}
	if err := checkOutside(keep, folder); err != nil {
		return key, err
	}
	kept, err := keepKey(filepath.Join(keep, "key"), key)
	if err != nil {
		return key, err
	}
	return kept, nil
}

// checkOutside returns an error if the key would be where a repository with the state could have put it.
func checkOutside(keep, folder string) error {
	above, err := filepath.Abs(filepath.Dir(folder))
	if err == nil {
		above, err = filepath.EvalSymlinks(above)
	}
	if err == nil {
		keep, err = filepath.EvalSymlinks(keep)
	}
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(above, keep); err == nil && filepath.IsLocal(below) {
		return fmt.Errorf("the cache folder must be outside of %s: set XDG_CACHE_HOME or HOME", above)
	}
	return nil
}

// keepKey returns the key of a file, which gets the given one if it does not exist. Several processes may do this at once.
func keepKey(file string, key stateKey) (stateKey, error) {
	part, err := os.CreateTemp(filepath.Dir(file), "key-*") // with the mode 0600
	if err != nil {
		return nil, err
	}
	_, err = part.Write(key)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Link(part.Name(), file)
	}
	_ = os.Remove(part.Name())
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := os.Lstat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() != keySize) {
		err = fmt.Errorf("%s must be a file of %d bytes: remove it", file, keySize)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// sign returns the code of a record, which is kept in a file of the state.
func (k stateKey) sign(file string, r *record) (string, error) {
	signed := *r
	signed.Code = ""
	content, err := json.Marshal(signed)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, k)
	_, _ = fmt.Fprintf(mac, "%s\n", strings.ReplaceAll(file, "\n", " "))
	_, _ = mac.Write(content)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// verifies reports whether a run of this user has written the record to the file.
func (k stateKey) verifies(file string, r *record) bool {
	want, err := k.sign(file, r)
	return err == nil && hmac.Equal([]byte(want), []byte(r.Code))
}
