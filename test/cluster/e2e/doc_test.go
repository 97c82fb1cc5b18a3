// Package e2e runs rendered objects on a real Kubernetes node, with a real PostgreSQL and MariaDB. test/cluster/node starts
// the components of Kubernetes, kubectl applies the objects, and the tests check the user-visible results: Jobs, termination
// messages, Secrets, logs.
//
// Each test has its own namespaces and a shared folder with an event log, in which the scripts of steps record when they
// start and end. The event log, not the status of a Job, shows whether and how often a script ran, and which scripts
// overlapped.
//
// TestFaultMixed applies several sandboxes of each kind of fault in one shuffled stream, so that they also affect each
// other, and consumers are applied before their producers. Order and times come from a fixed seed. Each sandbox has one of
// two results: the outputs are complete, correct and read by the consumer, or nothing is published, the Job has failed with
// a message and the script of the consumer has not run.
//
// The tests need the build tag e2e and a running node (test/cluster/node/up). `make e2e` does all of it.
package e2e
