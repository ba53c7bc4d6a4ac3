// Package operations has the HTTP calls about the installation as a whole, for its operators:
// its customers, its running parts, its store, configuration and journal. The administration
// and the console of operators serve them under their own paths: Routes lists them.
//
//	POST GET /customers                 create, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, disable
//	GET  /actors                        the running actors with their mailboxes and failures
//	GET  /incidents                     the newest failures of actors, and dead letters
//	GET  /venues                        health, clock, connections and rate limits of each venue
//	GET  /books                         every order book
//	GET  /streams                       the connections of the stream, by key
//	GET  /store                         size, commits, last backup
//	GET  /config                        the configuration, without secrets
//	GET  /journal/verify                the chain of the installation's journal
//	POST /rotate-key                    seal every secret with a new key
//
// Each call is served alone, so that a part that does not respond hides no other. The source
// of the running parts is that of the metrics: reading costs them nothing.
package operations
