package htmlreport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// ownerCard has the objects that belong to a sandbox, a route group or a package, or to several.
type ownerCard struct {
	Anchor, Name string
	// Kind is the kind of the owner, empty for shared objects.
	Kind string
	// Card is the anchor of the document's card, or empty.
	Card string
	// Kinds counts the objects by kind.
	Kinds string
	// Objects are in the card, or else its values fill in the shape with the ID Shape.
	Objects []object
	Shape   int
	values  []string
}

// Values are lines: each value is a part of one.
func (c ownerCard) Values() string { return strings.Join(c.values, "\n") }

// object is an object to be applied.
type object struct {
	Kind, Namespace, Name string
	// About is the purpose of the object.
	About string
	YAML  string
}

// Label is the namespace and the name.
func (o object) Label() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// owners returns the objects by owner, in the order of the sandboxes, with shared objects last. It also sets the
// numbers of objects in the cards of sandboxes and other owners.
func (b *builder) owners(c *content) ([]ownerCard, error) {
	texts := make([][]byte, len(b.Objects))
	errs := make([]error, len(b.Objects))
	krm.Each(len(b.Objects), func(i int) { texts[i], errs[i] = b.Objects[i].Bytes() })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	shown := make([]object, len(b.Objects))
	hides := make([]bool, len(b.Objects))
	krm.Each(len(b.Objects), func(i int) { shown[i], hides[i] = b.object(b.Objects[i], texts[i]) })
	b.hidden = b.hidden || slices.Contains(hides, true)
	at := map[build.Owner]int{}
	var cards []ownerCard
	for i, item := range b.Objects {
		owner := build.OwnerOf(item, texts[i])
		if owner.Kind == build.OwnerSandbox {
			owner.Name = strings.ToLower(owner.Name)
		}
		n, known := at[owner]
		if !known {
			n = len(cards)
			at[owner] = n
			cards = append(cards, ownerCard{Name: report.Printable(owner.Name), Kind: strings.ReplaceAll(owner.Kind, "-", " ")})
		}
		cards[n].Objects = append(cards[n].Objects, shown[i])
	}
	if n, known := at[build.Owner{}]; known {
		cards[n].Name = "Shared by several"
		shared := cards[n]
		cards = append(slices.Delete(cards, n, n+1), shared)
	}
	for i := range cards {
		card := &cards[i]
		card.Anchor = b.anchor("objects", cmp.Or(card.Kind, "shared"), card.Name)
		card.Kinds = kinds(card.Objects)
		c.own(card)
	}
	return cards, nil
}

// kinds counts objects by kind, such as "2 Jobs, 1 Secret".
func kinds(objects []object) string {
	counts := map[string]int{}
	var order []string
	for _, o := range objects {
		if counts[o.Kind]++; counts[o.Kind] == 1 {
			order = append(order, o.Kind)
		}
	}
	said := make([]string, len(order))
	for i, kind := range order {
		said[i] = report.Count(counts[kind], kind)
	}
	return strings.Join(said, ", ")
}

// own links the card of objects with the card of the document.
func (c *content) own(objects *ownerCard) {
	count := len(objects.Objects)
	switch objects.Kind {
	case build.OwnerSandbox:
		for i := range c.Sandboxes {
			if one := &c.Sandboxes[i]; one.lower == objects.Name && one.Objects == 0 {
				one.Objects, one.ObjectsAnchor, objects.Card = count, objects.Anchor, one.Anchor
				return
			}
		}
	case build.OwnerPackage:
		for i := range c.Requests {
			if one := &c.Requests[i]; one.Name == objects.Name && one.Objects == 0 {
				one.Objects, one.ObjectsAnchor, objects.Card = count, objects.Anchor, one.Anchor
				return
			}
		}
	case "":
	default:
		for i := range c.Groups {
			if one := &c.Groups[i]; one.Name == objects.Name && one.Objects == 0 {
				one.Objects, one.ObjectsAnchor, objects.Card = count, objects.Anchor, one.Anchor
				return
			}
		}
	}
}

func (b *builder) object(item *krm.Item, text []byte) (object, bool) {
	o := object{
		Kind: report.Printable(item.Kind()), Namespace: report.Printable(item.Namespace()), Name: report.Printable(item.Name()),
		About: report.Printable(about(item)),
	}
	shown, hides := b.values.object(item, text)
	o.YAML = shown
	return o, hides
}

// about returns the purpose of a rendered object, from its annotations.
func about(item *krm.Item) string {
	fact := func(key string) string { value, _ := item.Annotation(key); return value }
	phase, resource := fact(contract.PhaseKey), fact(contract.ResourceKey)
	switch {
	case fact(contract.StepKey) != "":
		return "step " + phase + "/" + fact(contract.StepKey) + " of " + resource
	case fact(contract.HelperKey) == contract.HelperForks && resource == "":
		return "number of Pods of the sandbox's forks"
	case fact(contract.HelperKey) == contract.HelperForks:
		return "wait of resource " + resource + " for the end of the sandbox's forks"
	case fact(contract.HelperKey) != "":
		return fact(contract.HelperKey) + " of outputs of " + resource
	case fact(contract.BaselineKey) != "":
		return "fork of " + fact(contract.BaselineKey)
	case resource != "":
		return phase + " phase of " + resource
	case fact(contract.PluginKey) != "":
		return "plugin " + fact(contract.PluginKey)
	}
	return ""
}
