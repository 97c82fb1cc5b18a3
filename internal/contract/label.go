package contract

// maxLabel is the longest value of a label in bytes (Kubernetes).
const maxLabel = 63

// LabelValue returns text as the value of a label. What is not valid there becomes its sanitised text and a hash; the
// annotation of the same key holds the true value.
func LabelValue(text string) string {
	if validLabel(text) {
		return text
	}
	return ObjectName(Hash("label", text), text)
}

// FileName returns text as the name of a file or folder without an extension. Names that differ in case alone stay apart
// where the file system folds them.
func FileName(text string) string {
	if text != "" && clean(text, maxLabel) == text {
		return text
	}
	return ObjectName(Hash("file", text), text)
}

func validLabel(text string) bool {
	if len(text) > maxLabel {
		return false
	}
	for i := range len(text) {
		c := text[i]
		inner := i > 0 && i < len(text)-1 && (c == '-' || c == '_' || c == '.')
		if !inner && !isAlphanumeric(c) {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
