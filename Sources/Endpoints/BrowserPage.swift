/// A page that was written for a browser without a preference. `EndpointResponse.page` holds it, so that it can be written
/// again in the browser's language, with the operator's name, logo and colour.
package protocol BrowserPage: Sendable {}
