package process

import "time"

// othersGrace is how long processes of a step without data flow may take to end behind it. In a cluster they are killed at
// once.
const (
	othersGrace    = time.Second
	othersInterval = 5 * time.Millisecond
)
