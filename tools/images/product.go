package main

// product is an image to build.
type product struct {
	name        string
	description string
	programs    []program // the first is the entrypoint
	user        string    // the default user of the image
	limit       int64     // of the compressed size, in bytes
}

// program is a static binary at the root of an image.
type program struct {
	name    string
	limit   int64 // of the size in bytes; 0 means no limit
	private bool  // its user can execute but not read it, so Linux protects its processes (prctl(2), PR_SET_DUMPABLE)
}

// mode returns the mode of the program's file, which belongs to root.
func (p program) mode() int64 {
	if p.private {
		return 0o711
	}
	return 0o755
}

const megabyte = 1_000_000

// runtimeProduct is the image of the helpers in rendered Pods. The runner is copied into a volume of each Pod.
var runtimeProduct = product{
	name:        "runtime",
	description: "the helpers in rendered Pods, and the program that installs packages",
	programs:    []program{{name: "manager", private: true}, {name: "runner", limit: 3 * megabyte}},
	user:        helperUser,
	limit:       12 * megabyte,
}

// unpackerProduct is the image of the program that unpacks packages. It is copied into a volume of each Job, so its user
// must be able to read it.
var unpackerProduct = product{
	name:        "unpacker",
	description: "the program that unpacks packages in their own images",
	programs:    []program{{name: "unpacker", limit: 4 * megabyte}},
	user:        helperUser,
	limit:       3 * megabyte,
}

func functionProduct(name, description string) product {
	return product{
		name: name, description: description, programs: []program{{name: name}}, user: nobodyUser, limit: 12 * megabyte,
	}
}
