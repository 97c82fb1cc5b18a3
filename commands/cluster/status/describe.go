package status

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// Description is everything that a sandbox has in a cluster.
type Description struct {
	Sandbox string `json:"sandbox"`
	*Report
	// Secrets hold the outputs of its steps, their copies, and those of OutputSecrets.
	Secrets []Secret `json:"secrets"`
	// Objects are all others, without those of the steps.
	Objects []Object `json:"objects"`
}

// Secret is a Secret with outputs. Values are never read.
type Secret struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Of is RESOURCE/STEP, whose outputs it has; RESOURCE/copy for an OutputSecret.
	Of string `json:"of"`
	// Published reports whether it has the outputs of the render that was applied last.
	Published bool `json:"published"`
	// Keys are the names of the outputs; null if the cluster does not name the keys.
	Keys []string `json:"keys"`
}

// Object is another object of a sandbox.
type Object struct {
	Namespace string `json:"namespace"`
	Object    string `json:"object"` // KIND/NAME
	// TTL is the lifetime from its creation after which kube-janitor deletes it, or that of the whole sandbox if TTLFrom names
	// its start.
	TTL     string `json:"ttl,omitempty"`
	TTLFrom string `json:"ttlFrom,omitempty"`
}

// ttlKey is the annotation for kube-janitor (https://codeberg.org/hjacobs/kube-janitor) on forks and routes.
const ttlKey = "janitor/ttl"

// Describe returns the description of a sandbox, given the report about it.
func (o *Objects) Describe(sandbox string, found *Report) *Description {
	d := &Description{Sandbox: sandbox, Report: found, Secrets: []Secret{}, Objects: []Object{}}
	for _, s := range o.secrets {
		if s.Labels[contract.SandboxKey] == sandbox {
			d.Secrets = append(d.Secrets, s.describe())
		}
	}
	for _, other := range o.others {
		if other.Labels[contract.SandboxKey] == sandbox {
			d.add(other.Kind, &other.ObjectMeta)
		}
	}
	slices.SortFunc(d.Secrets, func(a, b Secret) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return d
}

// AddOthers adds objects that belong to no step, such as forks, from the output of kubectl.MetadataOf.
func (d *Description) AddOthers(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var one metav1.PartialObjectMetadata
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errors.New("must have the metadata of objects, one JSON object for each")
		case one.Name != "": // a List has none
			d.add(one.Kind, &one.ObjectMeta)
		}
	}
}

func (d *Description) add(kind string, m *metav1.ObjectMeta) {
	one := Object{
		Namespace: m.Namespace, Object: strings.ToLower(kind) + "/" + m.Name,
		TTL: cmp.Or(m.Annotations[contract.TTLKey], m.Annotations[ttlKey]), TTLFrom: m.Annotations[contract.TTLOffsetKey],
	}
	at, known := slices.BinarySearchFunc(d.Objects, one, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Object, b.Object))
	})
	if !known {
		d.Objects = slices.Insert(d.Objects, at, one)
	}
}

// describe returns the Secret without the keys by which workloads wait for a generation.
func (s *outputSecret) describe() Secret {
	one := Secret{
		Namespace: s.Namespace, Name: s.Name, Of: s.Labels[contract.ResourceKey] + "/" + s.step(), Published: s.isCurrent(),
	}
	if s.keys == nil {
		return one
	}
	one.Keys = []string{}
	for key := range s.keys {
		if output := generationEnd.ReplaceAllString(key, ""); output == key || output != "" && !s.keys[output] {
			one.Keys = append(one.Keys, key)
		}
	}
	slices.Sort(one.Keys)
	return one
}

// generationEnd is the end of a contract.WorkloadKey: a hash of 12 characters of base32.
var generationEnd = regexp.MustCompile(`\.[a-z2-7]{12}$`)

// Text returns the description for people: the report, the Secrets with the names of their keys, and all other objects.
func (d *Description) Text(now metav1.Time, style report.Style) string {
	var b strings.Builder
	b.WriteString("sandbox: " + report.Printable(d.Sandbox) + "\n" + d.Report.Text(now, style))
	section := func(title string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		b.WriteString(title + ":\n")
		for _, line := range align(rows) {
			b.WriteString(line + "\n")
		}
	}
	var expiring [][]string
	objects := make([][]string, 0, len(d.Objects))
	secrets := make([][]string, 0, len(d.Secrets))
	for _, s := range d.Secrets {
		secrets = append(secrets, []string{"", s.Namespace, s.Name, s.Of, s.keyText()})
	}
	for _, o := range d.Objects {
		objects = append(objects, []string{"", o.Namespace, o.Object})
		if o.TTL != "" {
			expiring = append(expiring, []string{"", o.Namespace, o.Object, o.expiry()})
		}
	}
	section("secrets with outputs", secrets)
	section("other objects", objects)
	if len(expiring) == 0 {
		b.WriteString("expires: nothing in the cluster deletes it; rplug expire reads the ttl of documents\n")
	}
	section("expires", expiring)
	return b.String()
}

// expiry describes when the object or the sandbox is deleted, and by which program.
func (o *Object) expiry() string {
	if o.TTLFrom != "" {
		return o.TTL + " (" + o.TTLFrom + "): the CronJob of the namespace tears the whole sandbox down"
	}
	return o.TTL + " after its creation, if the cluster has kube-janitor"
}

// keyText are the keys on one line.
func (s *Secret) keyText() string {
	switch {
	case !s.Published:
		return "not published"
	case s.Keys == nil:
		return "the names of its keys are unknown"
	case len(s.Keys) == 0:
		return "no output"
	}
	return strings.Join(s.Keys, ", ")
}
