/// Where spans of requests are sent, and of which requests.
package struct TracingSettings: Sendable {
    /// Whose `traceparent` is continued.
    package enum Parent: String, Sendable, CaseIterable {
        case trustedProxies, all, none
    }

    /// The collector, such as `http://127.0.0.1:4318/v1/traces`.
    package var url: WebURL
    /// Sampled requests of a million, of those whose `traceparent` does not decide it.
    package var perMillion = 10_000
    package var parent = Parent.trustedProxies
    package var serviceName = "portcullis"
    /// Attributes of the resource in addition.
    package var attributes: [(name: String, value: String)] = []
    /// Most spans that wait to be sent; further ones are dropped.
    package var maximumSpans = 4096

    package init(url: WebURL) { self.url = url }
}
