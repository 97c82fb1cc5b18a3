package sandbox

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// world is a random set of sandboxes and route groups, with the targets of each key.
type world struct {
	sandboxes []*input
	groups    []routedGroup
	forks     map[[2]string]string // by key and Service
	keys      []string
}

var services = []string{"api", "web", "db"}

func randomWorld(tb testing.TB, random *rand.Rand) *world {
	tb.Helper()
	w := &world{forks: map[[2]string]string{}}
	colours := []string{"red", "green", "re*d", "red.", "grün"}
	members := map[string][]*input{}
	for i := range random.IntN(12) {
		colour := colours[random.IntN(len(colours))]
		s := box(tb, fmt.Sprintf("sb-%d", i), fmt.Sprintf("{cluster: c, labels: {colour: %q}}", colour))
		for _, service := range services {
			if random.IntN(2) == 0 {
				s.services = append(s.services, forked(service, s.Name))
				w.forks[[2]string{s.key, service}] = service + "-" + s.Name
			}
		}
		members[colour] = append(members[colour], s)
		w.sandboxes, w.keys = append(w.sandboxes, s), append(w.keys, s.key)
	}
	for i, colour := range []string{"red", "green", "grün", "none"} {
		g := groupOf(tb, fmt.Sprintf("g-%d", i), fmt.Sprintf("{match: {label: {key: colour, value: %q}}}", colour))
		w.groups, w.keys = append(w.groups, g), append(w.keys, g.key)
		for _, s := range members[colour] {
			for _, service := range s.services {
				w.forks[[2]string{g.key, service.name}] = service.fork
			}
		}
	}
	return w
}

// request returns a random request with at most one key.
func (w *world) request(random *rand.Rand) (http.Header, string) {
	header := http.Header{}
	key := w.keys[random.IntN(len(w.keys))]
	blank := func() string { return []string{"", " ", "\t", "  "}[random.IntN(4)] }
	others := []string{
		"a=b", "x=sd-routing-key=" + key, "sd-routing-key-2=" + key, "my-sd-routing-key=" + key, "p=q;sd-routing-key=" + key,
		"sd-routing-key=" + key + "x", "sd-routing-key=x" + key, "SD-ROUTING-KEY=" + key, "sd-routing-key=", "sd-routing-key",
		"sd-routing-key=" + strings.ToUpper(key), "sd-routing-key=" + key + " x", "u=%2Csd-routing-key=" + key, "", "=", "ü=😀",
	}
	var list []string
	for range random.IntN(4) {
		list = append(list, others[random.IntN(len(others))])
	}
	carried := ""
	switch random.IntN(4) {
	case 0:
		header.Set("sd-routing-key", key)
		carried = key
	case 1:
		property := []string{"", ";p", ";p=v", " ; sd-routing-key=other"}[random.IntN(4)]
		member := blank() + "sd-routing-key" + blank() + "=" + blank() + key + blank() + property + blank()
		list = slices.Insert(list, random.IntN(len(list)+1), member)
		carried = key
	case 2:
		header.Set("sd-routing-key", others[random.IntN(len(others))])
	}
	if random.IntN(2) == 0 {
		header["Baggage"] = list
	} else if len(list) > 0 {
		header.Set("Baggage", strings.Join(list, ","))
	}
	return header, carried
}

// Each request goes to the fork of the sandbox whose key it carries, or otherwise to the baseline.
func TestRequestsFindTheirForkOrTheBaseline(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	reached, refused := 0, 0
	for range 60 {
		w := randomWorld(t, random)
		routes := renderRoutes(w.sandboxes, w.groups, routed(gatewayAPI))
		for _, f := range routes.results {
			require.Equal(t, krm.Error, f.Severity)
			require.Contains(t, f.Message, "must not match sandboxes")
		}
		if len(routes.results) > 0 {
			refused++
			w.groups = nil
			routes = renderRoutes(w.sandboxes, nil, routed(gatewayAPI))
		}
		virtual := renderRoutes(w.sandboxes, w.groups, routed(istio))
		random.Shuffle(len(routes.objects), func(i, j int) {
			routes.objects[i], routes.objects[j] = routes.objects[j], routes.objects[i]
		})
		proxies := map[string]proxy{
			"gateway, whole":   gatewayProxy(t, routes.objects, true),
			"gateway, partial": gatewayProxy(t, routes.objects, false),
			"istio":            istioProxy(t, virtual.objects),
		}
		for range 60 {
			header, key := w.request(random)
			service := services[random.IntN(len(services))]
			want := service
			if fork := w.forks[[2]string{key, service}]; fork != "" && w.routes(key) {
				want = fork
				reached++
			}
			for name, send := range proxies {
				if got := send(service, 80, header); got != routeFree || want != service {
					require.Equal(t, want, got, "%s: %v to %s", name, header, service)
				}
			}
		}
	}
	require.Greater(t, reached, 100, "the test must reach forks")
	require.Greater(t, refused, 3, "the test must see ambiguous groups")
	require.Less(t, refused, 55)
}

// routes reports whether the key still exists after removing its groups.
func (w *world) routes(key string) bool {
	return slices.ContainsFunc(w.sandboxes, func(s *input) bool { return s.key == key }) ||
		slices.ContainsFunc(w.groups, func(g routedGroup) bool { return g.key == key })
}

// Neither the order of the documents nor other rendered objects change any object.
func TestOrderDoesNotCount(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 40 {
		w := randomWorld(t, random)
		for _, mode := range modes {
			before := printed(renderRoutes(w.sandboxes, nil, routed(mode)).objects)
			random.Shuffle(len(w.sandboxes), func(i, j int) {
				w.sandboxes[i], w.sandboxes[j] = w.sandboxes[j], w.sandboxes[i]
			})
			require.Equal(t, before, printed(renderRoutes(w.sandboxes, nil, routed(mode)).objects))
		}
		all := renderRoutes(w.sandboxes, nil, routed(gatewayAPI)).objects
		for i := range w.sandboxes {
			for _, alone := range renderRoutes(w.sandboxes[i:i+1], nil, routed(gatewayAPI)).objects {
				require.Contains(t, all, alone, "sandboxes rendered apart give the same HTTPRoutes")
			}
		}
	}
}

// Rendering 10,000 sandboxes of one Service takes as many allocations per sandbox as rendering 1,000.
func TestCostGrowsInProportion(t *testing.T) {
	checkout.Slow(t, "renders 10,000 sandboxes")
	boxes := make([]*input, 10_000)
	groups := make([]routedGroup, 10_000)
	for i := range boxes {
		boxes[i] = box(t, fmt.Sprintf("sb-%d", i), fmt.Sprintf("{cluster: c, labels: {pr: n%d}}", i), forked("web", fmt.Sprint(i)))
		groups[i] = groupOf(t, fmt.Sprintf("g-%d", i), fmt.Sprintf("{match: {label: {key: pr, value: n%d}}}", i))
	}
	for _, mode := range modes {
		cost := func(n int) float64 {
			return testing.AllocsPerRun(1, func() { renderRoutes(boxes[:n], groups[:n], routed(mode)) }) / float64(n)
		}
		few, many := cost(1_000), cost(10_000)
		require.Less(t, many, 1.3*few, "mode %s", mode)
	}
	found := messages(renderRoutes(boxes, nil, routed(istio)).results)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "must be forked by fewer sandboxes than 10000")
	found = messages(renderRoutes(boxes[:1500], nil, routed(istio)).results)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "must be applied with --server-side")
}
