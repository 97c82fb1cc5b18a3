package krm

import "fmt"

// jsonText returns the bytes of a JSON item with its edits.
func (i *Item) jsonText() ([]byte, error) {
	text := i.raw()
	for _, one := range i.changes() {
		var err error
		if text, err = one.applyJSON(text); err != nil {
			return nil, i.blame(err)
		}
	}
	return text, nil
}

func (one edit) applyJSON(text []byte) ([]byte, error) {
	value := string(escapeJSON(nil, one.value))
	from, to, exists := jsonPlace(text, one.path)
	switch {
	case one.gone && exists:
		for ; exists; _, _, exists = jsonPlace(text, one.path) {
			text = cutMember(text, annotationsPath, one.key)
		}
		if at, end, _ := jsonPlace(text, annotationsPath); skipJSONSpace(text, at+1) == end-1 {
			text = cutMember(text, "metadata", "annotations")
		}
		return text, nil
	case one.gone:
		return text, nil
	case exists:
		return applyPatches(text, []patch{{from, to, value}}), nil
	}
	text, err := openMember(text, "", "metadata")
	if err != nil {
		return nil, err
	}
	if text, err = openMember(text, "metadata", "annotations"); err != nil {
		return nil, err
	}
	return addMember(text, annotationsPath, one.key, value), nil
}

// openMember gives the object at path an object called name, where it has none.
func openMember(text []byte, path Path, name string) ([]byte, error) {
	from, to, exists := jsonPlace(text, path.Key(name))
	switch {
	case !exists:
		return addMember(text, path, name, "{}"), nil
	case text[from] == 'n':
		return applyPatches(text, []patch{{from, to, "{}"}}), nil
	case text[from] != '{':
		return nil, fmt.Errorf("%q must be a mapping to be annotated", name)
	}
	return text, nil
}

// addMember adds a member to the object at path, with the white space of the others.
func addMember(text []byte, path Path, name, value string) []byte {
	at, _, _ := jsonPlace(text, path)
	return applyPatches(text, []patch{memberPatch(text, at, name, value)})
}

func memberPatch(text []byte, at int, name, value string) patch {
	members, _ := jsonMembers(text, at)
	key := string(escapeJSON(nil, name))
	if len(members) == 0 {
		return patch{at + 1, at + 1, key + ": " + value}
	}
	first, last := members[0], members[len(members)-1]
	colon := string(text[skipJSON(text, last.key):last.value])
	return patch{last.end, last.end, "," + string(text[at+1:first.key]) + key + colon + value}
}

// cutMember removes the member called name from the object at path.
func cutMember(text []byte, path Path, name string) []byte {
	at, _, _ := jsonPlace(text, path)
	return applyPatches(text, []patch{cutPatch(text, at, name)})
}

func cutPatch(text []byte, at int, name string) patch {
	members, end := jsonMembers(text, at)
	for n, one := range members {
		switch {
		case one.name != name:
			continue
		case n+1 < len(members):
			return patch{one.key, members[n+1].key, ""}
		case n > 0:
			return patch{members[n-1].end, one.end, ""}
		default:
			return patch{at + 1, end - 1, ""}
		}
	}
	return patch{at, at, ""}
}
