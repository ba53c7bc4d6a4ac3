// Package console is the edge of the web console: its pages, signing in, and the calls of
// the pages.
//
//	GET /console, /console/...               the pages and their files; see package web
//	POST GET DELETE /console/api/session     sign in, the own session, sign out
//	POST .../session/totp                    the code of the second step
//	POST .../session/enter                   set a password with the link of an invitation
//	POST .../session/step-up                 password and code again, for five minutes
//	POST .../session/token                   the token that pages trade with, below /v1
//	GET DELETE .../sessions[/{id}]           the own sessions
//	POST .../password                        another password
//	POST .../totp, .../totp/confirm          another second step
//	POST .../recovery-codes                  other recovery codes
//	GET PATCH .../preferences                how the console shows itself
//	GET .../outgoing                         the address from which the service calls venues
//	     .../overview                        the state of the customer; see package registry
//	     .../users, keys, accounts, hooks    the records of the customer; see package recordapi
//	     .../endpoints, deliveries, signals, alerts, journal, trades, telegram
//	     .../customers, actors, ...      the installation, for operators; see package operations
//	POST GET .../backup                  permit a backup, and fetch it once
//
// One Console serves one listener. At the public one the users of customers sign in, at that
// of the administration operators; the session of one is not accepted at the other. access.go
// lists which roles may make which call.
//
// # Sessions
//
// A session has 256 random bits in a cookie, of which the store has the SHA-256. The cookie
// gets another value at each step-up. Sessions end by signing out, when they are idle or too
// old, and with a changed password or role. They survive a crash of the service. A page that
// stays visible reads on while nobody uses it; X-Unattended marks such calls, which do not
// count as use.
//
// Calls that change something must come from a page of the console: they need
// Sec-Fetch-Site: same-origin (or the own Origin), Content-Type: application/json and
// X-Console: 1, besides a cookie with SameSite=Strict.
//
// # Passwords
//
// Passwords are hashed with argon2id, two at a time. Signing in does the same work and gives
// the same answer for a login that does not exist. Failures are limited per address, and per
// login for the addresses that it has never signed in from, so that nobody is locked out by
// the failures of others. A code of the second step (TOTP) is good once.
package console
