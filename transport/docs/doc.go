// Package docs serves the documentation for people at /docs: guides, the reference of the
// REST API with a form to try it, and the messages of the stream.
//
//	/docs                 guides, from pages/*.md
//	/docs/reference       the OpenAPI document, shown by Swagger UI
//	/docs/stream          the AsyncAPI document
//	/docs/errors#CODE     the explanation of an error code
//	/docs/search?q=       search in all of these
//
// The first request renders everything. Facts have one place: pages take sections of the
// documents and samples by name (see texts); a test fails if one is missing. A sample is a
// region of a file that a test runs against the service: samples/curl.sh and the examples of
// the clients for Python and TypeScript.
//
// # What a page may do
//
// Content-Security-Policy permits nothing but the files of the site itself: no other origin,
// no inline script or style, no evaluation of text. The guides and the search need no
// script. The reference needs one, and may call only the origin that it was loaded from:
// the public listener, never the administration. An API key that is entered there stays in
// the memory of the page.
//
// # The bundle
//
// The folder swaggerui has the two files of swagger-ui-dist that the reference loads, as
// they are published, compressed, with their licences. package-lock.json pins the version
// and its hash; a test with the tag interop compares the files with the package. They are
// committed, 485 KB that change a few times a year: the binary has its documentation however
// it is built, without Node and without a network. After a change of the version in
// package.json, `npm install --package-lock-only` in the folder and go generate renew them.
package docs

//go:generate sh -c "cd swaggerui && npm ci && for f in swagger-ui-bundle.js swagger-ui.css; do gzip -9nc node_modules/swagger-ui-dist/$f >$f.gz; done"
//go:generate sh -c "cd swaggerui/node_modules/swagger-ui-dist && cp LICENSE NOTICE swagger-ui-bundle.js.LICENSE.txt ../.."
