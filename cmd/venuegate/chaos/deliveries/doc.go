// Package deliveries repeatedly kills a process that delivers events, at any time,
// and counts afterwards. It holds tests only, under the build tag chaos;
// `make chaos` runs them.
//
// The test binary runs itself again as the process: the embedded store on a
// directory, the journal, and the queue of each endpoint with the sender that the
// service uses, over sockets. The process emits events and prints which commits were
// confirmed. The receivers outlive it: they answer well, with an error or not at
// all, or cut the connection.
//
// After kills the store is opened and compared: every event is delivered, waits or
// is undelivered at the endpoint that takes it, what counts as delivered was
// taken there, no id is there twice, and every confirmed event exists.
//
// The environment variable CHAOS says how much: sample 20,000 events, full
// 200,000, night 1,000,000. CHAOS_SEED repeats the choices of a run.
package deliveries
