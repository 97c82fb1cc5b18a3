//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// metric is a number that the API server counts, with its labels.
type metric struct {
	labels map[string]string
	value  float64
}

var label = regexp.MustCompile(`(\w+)="([^"]*)"`)

// metricsOf returns the numbers with a name. All clients of the API server count.
func metricsOf(t *testing.T, name string) (all []metric) {
	t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(must(t, "", "get", "--raw", "/metrics"))); lines.Scan(); {
		rest, isOne := strings.CutPrefix(lines.Text(), name+"{")
		if !isOne {
			continue
		}
		at := strings.LastIndexByte(rest, ' ')
		value, err := strconv.ParseFloat(rest[at+1:], 64)
		require.NoError(t, err)
		one := metric{map[string]string{}, value}
		for _, found := range label.FindAllStringSubmatch(rest[:at], -1) {
			one.labels[found[1]] = found[2]
		}
		all = append(all, one)
	}
	require.NotEmpty(t, all, name)
	return all
}

// requestCount is how often an API server was asked to read, to write, and to watch. Leader election does not count.
type requestCount struct{ reads, writes, watches int }

func requestsOf(t *testing.T) (sum requestCount) {
	t.Helper()
	for _, one := range metricsOf(t, "apiserver_request_total") {
		switch verb := one.labels["verb"]; {
		case one.labels["resource"] == "leases":
		case verb == "GET" || verb == "LIST":
			sum.reads += int(one.value)
		case verb == "WATCH":
			sum.watches += int(one.value)
		default:
			sum.writes += int(one.value)
		}
	}
	return sum
}

func (c requestCount) since(before requestCount) string {
	return fmt.Sprintf("%d reads, %d writes, %d watches", c.reads-before.reads, c.writes-before.writes, c.watches-before.watches)
}

// load is the work of an API server since its start: objects that were created, and successful writes that store data of a
// run, which those of events, reviews and leader election do not.
type load struct{ created, writes int }

func serverLoad(t *testing.T) (sum load) {
	t.Helper()
	for _, one := range metricsOf(t, "apiserver_request_total") {
		switch l := one.labels; {
		case slices.Contains([]string{"", "events", "leases", "tokenreviews", "subjectaccessreviews"}, l["resource"]),
			l["subresource"] == "token", !strings.HasPrefix(l["code"], "20"), l["dry_run"] != "":
		case l["verb"] == "POST" && l["subresource"] == "":
			sum.created += int(one.value)
			sum.writes += int(one.value)
		case l["verb"] == "POST", l["verb"] == "PUT", l["verb"] == "PATCH", l["verb"] == "APPLY", l["verb"] == "DELETE":
			sum.writes += int(one.value)
		}
	}
	return sum
}

// storedBytes returns the size of the database of etcd.
func storedBytes(t *testing.T) int {
	t.Helper()
	return int(metricsOf(t, "apiserver_storage_size_bytes")[0].value)
}
