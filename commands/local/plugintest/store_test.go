package plugintest_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
)

// storeVariable makes this program the store, which is a fixture of tests.
const storeVariable = "PLUGINTEST_STORE"

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	if os.Getenv(storeVariable) != "" {
		serveStore()
		return
	}
	os.Exit(m.Run())
}

// serveStore is a server that stores names. A connection sends one line: put NAME, add NAME (fails if it exists), del NAME,
// remove NAME (fails if it does not exist), get NAME or list.
func serveStore() {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:"+os.Getenv("FIXTURE_PORT"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("the store listens")
	var mu sync.Mutex
	kept := map[string]bool{}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = connection.Close() }()
			line, _ := bufio.NewReader(connection).ReadString('\n')
			mu.Lock()
			defer mu.Unlock()
			_, _ = fmt.Fprintln(connection, answer(kept, strings.Fields(line)))
		}()
	}
}

func answer(kept map[string]bool, words []string) string {
	if len(words) == 1 && words[0] == "list" {
		var names []string
		for name := range kept {
			names = append(names, name)
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	if len(words) != 2 {
		return "wrong"
	}
	name, was := words[1], kept[words[1]]
	switch words[0] {
	case "put", "add":
		if kept[name] = true; was && words[0] == "add" {
			return "exists"
		}
	case "del", "remove":
		if delete(kept, name); !was && words[0] == "remove" {
			return "missing"
		}
	case "get":
		if !was {
			return "missing"
		}
	}
	return "ok"
}
