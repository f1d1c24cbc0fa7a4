import Declaration
import Model

/// The collector of spans.
package struct TracingEntry: Sendable {
    package var settings: TracingSettings
    /// Value of `Authorization` there; nil for none.
    package var authorization: Secret?
    package var tls: UpstreamTLSEntry?

    static let shape = Shape.object("an object: {\"url\"}") { object in
        let allowsHTTP = object.flag("allowHttp", default: false, "Whether spans may be sent without TLS.")
        let url = object.required(
            "url", .url(allowHTTP: allowsHTTP), "an https:// URL", placeholder: WebURL(.placeholder),
            "Where spans are sent (OTLP over HTTP), such as `https://collector.example.com/v1/traces`.")
        var settings = TracingSettings(url: url)
        object.read(
            "samplePerMillion", .integer(0...1_000_000, "a number of requests"), into: &settings.perMillion,
            "How many of a million requests are traced, where no `traceparent` decides it.")
        object.read(
            "parent", .choice, into: &settings.parent,
            """
            Whose `traceparent` is continued: that of `trustedProxies`, of all clients, or of none. Others get a trace of \
            their own, and their `tracestate` is removed.
            """)
        object.read("serviceName", .name, into: &settings.serviceName, "`service.name` of the spans.")
        settings.attributes =
            object.optional("attributes", attributes, "Further attributes of the resource.") ?? []
        object.read(
            "maxSpans", .integer(1...1_000_000, "a number of spans"), into: &settings.maximumSpans,
            "Most spans that wait to be sent; further ones are dropped.")
        return TracingEntry(
            settings: settings,
            authorization: object.optional(
                "authorization", .secret, "Value of `Authorization` for the collector; none by default."),
            tls: object.optional(
                "tls", UpstreamTLSEntry.shape(namesServer: false),
                "How the collector is trusted, and the gateway's certificate for it."))
    }

    private static let attributes = Shape(
        .map(.text, names: "^[A-Za-z0-9._-]+$"),
        read: { field in
            field.object("an object of strings").entries.compactMap { name, place -> (name: String, value: String)? in
                place.name().map { (name: name, value: $0) }
            }
        })
}
