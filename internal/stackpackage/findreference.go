package stackpackage

import (
	"strings"

	"github.com/distribution/reference"
)

// SplitReference splits what asks for a package: NAME[:VERSION][@DIGEST]. The version may be a range, such as
// `acme/redis:>=0.1 <0.3`: it is the text behind the last colon that follows the last slash.
func SplitReference(text string) (repository, version, digest string) {
	repository, digest, _ = strings.Cut(text, "@")
	if colon := strings.LastIndexByte(repository, ':'); colon > strings.LastIndexByte(repository, '/') {
		return repository[:colon], repository[colon+1:], digest
	}
	return repository, "", digest
}

// WithSource returns a repository with a source in front, such as `registry.example.org/acme`, unless the repository names a
// registry itself.
func WithSource(source, repository string) string {
	named, err := reference.ParseNormalizedNamed(repository)
	if source == "" || repository == "" || err == nil && strings.HasPrefix(repository, reference.Domain(named)) {
		return repository
	}
	return strings.Trim(source, "/") + "/" + repository
}
