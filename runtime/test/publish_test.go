package test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
)

var values = map[string][]byte{"dsn": []byte("postgres://"), "empty": {}, "nothing": nil}

func record(t *testing.T, server *Server, generation string, attempts int) publish.Record {
	t.Helper()
	config := server.Config()
	config.Timing = cluster.Timing{
		Request: 20 * time.Second, Interval: 4 * time.Millisecond, ApplyTimeout: 8 * time.Second,
	}
	client, err := cluster.New(config)
	require.NoError(t, err)
	return publish.Record{Client: client, Secret: db, Generation: generation, Attempts: attempts}
}

func TestPublishSetsValuesAndAnnotation(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1", contract.FailedKey: "g0", contract.FailuresKey: "g1 1"})
	require.NoError(t, record(t, server, "g1", 1).Publish(within(t, enough), values))
	stored := server.Get(db)
	assert.Equal(t, map[string]string{contract.GenerationKey: "g1", contract.PublishedKey: "g1"}, stored.Metadata.Annotations)
	assert.Equal(t, map[string][]byte{"dsn": []byte("postgres://"), "empty": {}, "nothing": {}}, stored.Data)
}

// What workloads read is there twice: the key of a generation goes with it.
func TestPublishAddsKeysForWorkloads(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	before := record(t, server, "g1", 1)
	require.NoError(t, before.Publish(within(t, enough), values))
	forked := record(t, server, "g1", 1)
	forked.Workloads = []string{"dsn"}
	for range 2 { // the first call adds the key, the second changes nothing
		published, err := forked.Published(within(t, enough))
		require.NoError(t, err)
		require.True(t, published)
		assert.Equal(t, map[string][]byte{"dsn": []byte("postgres://"), "dsn.g1": []byte("postgres://"), "empty": {}, "nothing": {}},
			server.Get(db).Data)
	}

	server.Apply(db, map[string]string{contract.GenerationKey: "g2"})
	forked.Generation = "g2"
	require.Contains(t, server.Get(db).Data, "dsn.g1", "Pods of the earlier generation may restart until the next is published")
	require.NoError(t, forked.Publish(within(t, enough), map[string][]byte{"dsn": []byte("new")}))
	assert.Equal(t, map[string][]byte{"dsn": []byte("new"), "dsn.g2": []byte("new")}, server.Get(db).Data)

	large := map[string][]byte{"dsn": []byte(strings.Repeat("marker", contract.MaxOutputBytes/12+1))}
	err := forked.Publish(within(t, enough), large)
	require.ErrorContains(t, err, "outputs must not have more than 1048576 bytes in total, the limit of a Secret, in which those "+
		"that workloads read count twice")
	assert.NotContains(t, err.Error(), "marker")
}

// A publication replaces the record of an earlier one; producers of an earlier version have no name to record.
func TestPublishRecordsWhatWasRead(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{
		contract.GenerationKey: "g1", contract.ReadKey(0): "old", contract.ReadKey(2): "old", contract.PublicationKey: "old",
	})
	own := record(t, server, "g1", 1)
	own.Publication, own.Reads = "mine", []string{"", "theirs"}
	require.NoError(t, own.Publish(within(t, enough), values))
	assert.Equal(t, map[string]string{
		contract.GenerationKey: "g1", contract.PublishedKey: "g1", contract.PublicationKey: "mine", contract.ReadKey(1): "theirs",
	}, server.Get(db).Metadata.Annotations)
}

func TestPublishReplacesTheEarlierGeneration(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	full := map[string][]byte{"old": make([]byte, contract.MaxOutputBytes)}
	require.NoError(t, record(t, server, "g1", 1).Publish(within(t, enough), full))
	server.Apply(db, map[string]string{contract.GenerationKey: "g2"})
	require.NoError(t, record(t, server, "g2", 1).Publish(within(t, enough), values))
	assert.NotContains(t, server.Get(db).Data, "old")
	assert.Equal(t, "g2", server.Get(db).Annotation(contract.PublishedKey))
}

func TestTooLargeIsFinalAndPublishesNothing(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	text := strings.Repeat("marker", contract.MaxOutputBytes/6+1)
	err := record(t, server, "g1", 1).Publish(within(t, enough), map[string][]byte{"a": []byte(text)})
	require.ErrorContains(t, err, "422")
	assert.NotContains(t, err.Error(), "marker")
	assert.Empty(t, server.Get(db).Data)
	assert.Empty(t, server.Get(db).Annotation(contract.PublishedKey))
}

// The Job of an older render is still running when a newer one has published.
func TestOlderRenderDoesNotPublish(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	older := record(t, server, "g1", 1)
	published, err := older.Published(within(t, enough))
	require.NoError(t, err)
	require.False(t, published)
	server.Apply(db, map[string]string{contract.GenerationKey: "g2"})
	require.NoError(t, record(t, server, "g2", 1).Publish(within(t, enough), values))
	require.ErrorContains(t, older.Publish(within(t, enough), map[string][]byte{"dsn": []byte("stale")}), "older render")
	require.Error(t, older.Fail(within(t, enough)))
	assert.Equal(t, "postgres://", string(server.Get(db).Data["dsn"]))
	assert.Empty(t, server.Get(db).Annotation(contract.FailedKey))
}

func TestPublishedWaitsForTheSecret(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Deny("patch", db)
	go func() {
		time.Sleep(30 * time.Millisecond)
		server.Allow("patch", db)
		time.Sleep(30 * time.Millisecond)
		server.Apply(db, map[string]string{contract.GenerationKey: "g0"})
		time.Sleep(30 * time.Millisecond)
		server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	}()
	published, err := record(t, server, "g1", 1).Published(within(t, enough))
	require.NoError(t, err)
	assert.False(t, published)
}

func TestPublishedTimesOut(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	_, err := record(t, server, "g1", 1).Published(within(t, enough))
	require.ErrorContains(t, err, "must be applied with the Job that uses it")
	server.Apply(db, map[string]string{contract.GenerationKey: "g2"})
	_, err = record(t, server, "g1", 1).Published(within(t, enough))
	require.ErrorContains(t, err, `secret "db" is for generation "g2" of the step, this Pod is of generation "g1"`)
}

func TestPublished(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		annotations map[string]string
		want        bool
		left        map[string]string
	}{
		"nothing":         {nil, false, nil},
		"this one":        {map[string]string{contract.PublishedKey: "g1"}, true, nil},
		"another":         {map[string]string{contract.PublishedKey: "g0"}, false, nil},
		"this one failed": {map[string]string{contract.FailedKey: "g1", contract.FailuresKey: "g1 1"}, false, map[string]string{}},
		"another failed":  {map[string]string{contract.FailedKey: "g0"}, false, nil},
		"failed since": {
			map[string]string{contract.PublishedKey: "g1", contract.FailedKey: "g1"}, true, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
			server.Apply(db, test.annotations)
			published, err := record(t, server, "g1", 1).Published(within(t, enough))
			require.NoError(t, err)
			assert.Equal(t, test.want, published)
			left := test.left
			if left == nil {
				left = test.annotations
			}
			for key, value := range left {
				assert.Equal(t, value, server.Get(db).Annotation(key))
			}
			assert.Len(t, server.Get(db).Metadata.Annotations, len(left)+1)
		})
	}
}

func TestTheLastAttemptRecordsTheFailure(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1", contract.FailuresKey: "g0 7"})
	three := record(t, server, "g1", 3)
	for _, want := range []map[string]string{
		{contract.FailuresKey: "g1 1"}, {contract.FailuresKey: "g1 2"}, {contract.FailedKey: "g1"},
	} {
		require.NoError(t, three.Fail(within(t, enough)))
		want[contract.GenerationKey] = "g1"
		assert.Equal(t, want, server.Get(db).Metadata.Annotations)
	}
}

func TestFailKeepsWhatIsPublished(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Apply(db, map[string]string{contract.GenerationKey: "g1"})
	one := record(t, server, "g1", 0)
	require.NoError(t, one.Publish(within(t, enough), values))
	require.NoError(t, one.Fail(within(t, enough)))
	assert.Equal(t, map[string]string{contract.GenerationKey: "g1", contract.PublishedKey: "g1"},
		server.Get(db).Metadata.Annotations)
	server.Apply(db, map[string]string{contract.GenerationKey: "g2"})
	require.NoError(t, record(t, server, "g2", 0).Fail(within(t, enough)))
	assert.Equal(t, "g2", server.Get(db).Annotation(contract.FailedKey))
	assert.Equal(t, "postgres://", string(server.Get(db).Data["dsn"]))
}

// Secrets of other tools, and immutable ones, are not changed, and the step fails at once.
func TestForeignAndImmutableSecrets(t *testing.T) {
	t.Parallel()
	own := object{contract.GenerationKey: "g1"}
	data := object{"password": "bWFya2Vy"} // marker
	for name, test := range map[string]struct {
		secret object
		want   string
	}{
		"foreign": {
			object{"metadata": object{"labels": object{contract.ManagedByKey: contract.ManagedBy}}},
			`secret "db" in namespace "ns" was not rendered for this step, since it has no annotation resourceplugins.dev/generation: delete it if`,
		},
		"foreign with data":           {object{"data": data}, "was not rendered for this step"},
		"applied over a foreign one":  {object{"metadata": object{"annotations": own}, "data": data}, `secret "db" in namespace "ns" has data that no step published`},
		"immutable":                   {object{"metadata": object{"annotations": own}, "immutable": true}, `secret "db" in namespace "ns" is immutable, so no outputs`},
		"immutable, other generation": {published("g0", data), `secret "db" in namespace "ns" is immutable`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			server.Put(db, test.secret)
			before := server.Get(db)
			one := record(t, server, "g1", 1)
			_, err := one.Published(within(t, enough))
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, one.Publish(within(t, enough), values), test.want)
			assert.Equal(t, before, server.Get(db))
			assert.NotContains(t, err.Error(), "marker")
			assert.Len(t, server.Calls(), 2, "no retries")
			err = one.Fail(within(t, enough))
			if before.Immutable { // its annotations can be changed, so consumers stop
				require.NoError(t, err)
				assert.Equal(t, "g1", server.Get(db).Annotation(contract.FailedKey))
			} else {
				require.ErrorContains(t, err, test.want)
				assert.Equal(t, before, server.Get(db))
			}
		})
	}
}

// A Secret may become immutable after it was published.
func TestImmutableAndPublished(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Put(db, published("g1", object{"dsn": ""}))
	done, err := record(t, server, "g1", 1).Published(within(t, enough))
	require.NoError(t, err)
	assert.True(t, done)
}

// published returns an immutable Secret rendered for g1, with the outputs of a generation.
func published(generation string, data object) object {
	annotations := object{contract.GenerationKey: "g1", contract.PublishedKey: generation}
	return object{"metadata": object{"annotations": annotations}, "data": data, "immutable": true}
}
