package clients

// plain is a node as maps, slices and scalars, aliases and merge keys (<<)
// written out. left is how many more values there may be.
func (n *yamlNode) plain(depth int, left *int) (any, error) {
	if *left--; *left < 0 || depth > 2*maxYAMLDepth {
		return nil, &FileError{Line: n.line, Err: ErrSyntax}
	}
	switch n.kind {
	case yamlAlias:
		return n.target.plain(depth+1, left)
	case yamlSequence:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			v, err := item.plain(depth+1, left)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yamlMapping:
		doc := make(map[string]any, len(n.keys))
		var base any = map[string]any{}
		for i, key := range n.keys {
			v, err := n.items[i].plain(depth+1, left)
			if err != nil {
				return nil, err
			}
			if key.text == "<<" {
				base = v
				continue
			}
			doc[key.text] = v
		}
		if !merge(doc, base) {
			return nil, &FileError{Line: n.line, Err: ErrSyntax}
		}
		return doc, nil
	}
	return n.value, nil
}

// merge adds what is under a merge key, a mapping or a list of such, without
// replacing anything; the first of a list wins.
func merge(doc map[string]any, base any) bool {
	switch base := base.(type) {
	case map[string]any:
		for key, v := range base {
			if _, there := doc[key]; !there {
				doc[key] = v
			}
		}
	case []any:
		for _, b := range base {
			if _, ok := b.(map[string]any); !ok || !merge(doc, b) {
				return false
			}
		}
	default:
		return false
	}
	return true
}
