// Package e2e runs what the functions render on a real Kubernetes node, with a real PostgreSQL and MariaDB. Nothing is
// simulated: test/node starts the parts of Kubernetes themselves, plain `kubectl apply -f -` delivers, and the tests look at
// what a user could look at: Jobs, termination messages, Secrets, logs.
//
// A test has namespaces of its own and a ledger in the node's folder, where the scripts of its steps write down when they
// start and end. The ledger, not a Job's status, says whether a script ran, how often, and beside which other one.
//
// Faults come in storms: sandboxes of every fault, several of each, in one shuffled stream, so that they also disturb each
// other, and so that consumers are applied before their producers. The order and the moments come from a fixed seed. For
// each sandbox there are two ends: the outputs are whole, right and seen by the consumer, or nothing was published, the Job
// failed with a reason and the consumer's script never ran.
//
// The tests need the build tag e2e and a node that is up (test/node/up); they run one after the other, the most telling
// ones first. `make e2e` does all of it.
package e2e
