package krm

// peekJSON reads an object's apiVersion, kind and metadata.name.
func peekJSON(object []byte) peek {
	var seen peek
	members, _ := jsonMembers(object, 0)
	seen.jsonField(object, members, "apiVersion", peekVersion)
	seen.jsonField(object, members, "kind", peekKind)
	if meta := findMember(members, "metadata"); meta != nil && object[meta.value] == '{' {
		members, _ = jsonMembers(object, meta.value)
		seen.jsonField(object, members, "name", peekName)
	}
	return seen
}

func (p *peek) jsonField(object []byte, members []member, name string, field int) {
	found := findMember(members, name)
	if found == nil {
		return
	}
	text, ok := jsonString(object[found.value:found.end])
	p.value[field] = []byte(text)
	p.unsure = p.unsure || !ok
}
