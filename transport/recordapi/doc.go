// Package recordapi has the HTTP calls on the records of a registry, which the administration and
// the console serve under their own paths: Records lists them.
//
// Bodies and responses are JSON in camelCase. A body with an unknown member is rejected, so
// that a typing error is not ignored. The response to a GET has an entity tag; an unchanged one is
// 304 to a request with that tag in If-None-Match. Changes of hooks and endpoints with a tag in If-Match are 412 if the record has
// another by now. Errors have the envelope of the public interface;
// internal ones are logged, not shown.
package recordapi
