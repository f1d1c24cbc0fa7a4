/// The server that tells about the tokens of a trusted issuer (RFC 7662).
package struct IntrospectionEntry: Sendable {
    package var url: String
    package var clientID: String
    package var clientSecret: Secret
    /// What its opaque tokens begin with; empty for any.
    package var tokenPrefix: String
    /// How long an answer is believed.
    package var cache: Duration
    /// How long a refusal is.
    package var negativeCache: Duration
    package var connectTimeout: Duration
    package var readTimeout: Duration
    /// Absolute path of a PEM file with the authorities of its certificate; nil for the system's.
    package var authorityFile: String?

    static func read(_ field: Field) -> IntrospectionEntry? {
        var object = field.object("an object: {\"url\", \"clientId\", \"clientSecret\"}")
        let allowsHTTP = object.flag("allowHttp", default: false)
        let entry = IntrospectionEntry(
            url: object.required("url", "an https:// URL", standIn: "") {
                $0.callableAddress(allowHTTP: allowsHTTP)
            },
            clientID: object.required("clientId", "the gateway's client id there", standIn: "") { $0.name() },
            clientSecret: object.required(
                "clientSecret", "a secret", standIn: Secret(value: "", origin: .literal)
            ) { $0.secret() },
            tokenPrefix: object.value("tokenPrefix", default: "") { $0.fieldValue() },
            cache: object.duration("cache", default: .seconds(60)),
            negativeCache: object.duration("negativeCache", default: .seconds(5)),
            connectTimeout: object.duration("connectTimeout", default: .seconds(5)),
            readTimeout: object.duration("readTimeout", default: .seconds(10)),
            authorityFile: object.optional("caFile") { $0.readableFile() })
        object.finish()
        return entry
    }
}
