import Bytes

/// Where a trusted issuer publishes its keys, and how they are fetched (JWT-30 to JWT-38).
package struct PublishedKeysEntry: Sendable {
    /// Of the discovery document; not asked where `jwksURI` is there.
    package var discoveryURI: String?
    package var jwksURI: String?
    package var allowHTTP: Bool
    package var minimumReload: Duration
    package var maximumReload: Duration
    package var maximumStale: Duration
    package var connectTimeout: Duration
    package var readTimeout: Duration
    /// nil for those that are sound.
    package var tlsVersions: [String]?
    package var authorization: Secret?
    /// Absolute path of a PEM file.
    package var trustFile: String?
    /// The gateway is ready without the keys.
    package var isOptional: Bool

    private static let members = [
        "discoveryUri", "jwksUri", "allowHttp", "minReloadInterval", "maxReloadInterval", "maxStale", "connectTimeout",
        "readTimeout", "tlsVersions", "authorizationHeader", "trustFile", "optional",
    ]

    /// Reads the members of a trusted issuer; nil where it has a file of keys.
    static func read(_ object: inout ObjectReader, hasFile: Bool) -> PublishedKeysEntry? {
        guard !hasFile else {
            for name in members {
                object.take(name)?.error("the keys stand in a file", expected: "no \"\(name)\" beside \"jwksFile\"")
            }
            return nil
        }
        let allowHTTP = object.flag("allowHttp", default: false)
        let addresses = ["discoveryUri", "jwksUri"].map { object.take($0) }
        if addresses.allSatisfy({ $0 == nil }), object.field.node.members != nil {
            object.field.error(
                "there are no keys", expected: "\"jwksFile\", \"discoveryUri\" or \"jwksUri\"")
        }
        if allowHTTP, object.field.findings.production {
            object.field.warning(
                "whoever stands between here and the issuer can choose its keys", expected: "\"allowHttp\": false")
        }
        let entry = PublishedKeysEntry(
            discoveryURI: addresses[0].flatMap { $0.callableAddress(allowHTTP: allowHTTP) },
            jwksURI: addresses[1].flatMap { $0.callableAddress(allowHTTP: allowHTTP) }, allowHTTP: allowHTTP,
            minimumReload: object.duration("minReloadInterval", default: .seconds(60)),
            maximumReload: object.duration("maxReloadInterval", default: .seconds(28_800)),
            maximumStale: object.value("maxStale", default: .seconds(86_400)) { $0.durationOrOff() },
            connectTimeout: object.duration("connectTimeout", default: .seconds(5)),
            readTimeout: object.duration("readTimeout", default: .seconds(10)),
            tlsVersions: object.optional("tlsVersions", versions),
            authorization: object.optional("authorizationHeader", authorization),
            trustFile: object.optional("trustFile") { $0.certificateFile() },
            isOptional: object.flag("optional", default: false))
        if entry.minimumReload < .seconds(1) || entry.minimumReload > entry.maximumReload {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, "minReloadInterval"), "out of range",
                expected: "from \"1s\" to \"maxReloadInterval\"")
        }
        return entry
    }

    /// JWT-36: names of insecure versions are known, so that a configuration from elsewhere is read; they yield nothing.
    private static func versions(_ field: Field) -> [String]? {
        let sound = ["TLS", "TLSv1.2", "TLSv1.3"]
        guard let elements = field.elements("an array of TLS versions") else { return nil }
        let names = elements.compactMap { element -> String? in
            let name = element.choice(sound + ["TLSv1.1", "TLSv1", "SSL", "SSLv3", "SSLv2"])
            if let name, !sound.contains(name) {
                element.warning("\(name) is not spoken", expected: "TLSv1.2 or newer")
            }
            return name
        }
        // Not an error: who brings such a list from elsewhere keeps the rest of the configuration (JWT-36).
        if !names.contains(where: sound.contains) {
            field.warning("no version is left that is spoken: every fetch fails", expected: "TLSv1.2, TLSv1.3 or both")
        }
        return names
    }

    private static func authorization(_ field: Field) -> Secret? {
        guard let secret = field.secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 >= ASCII.space && $0 < 0x7f }) else {
            field.error("the value cannot stand in a field", expected: "printable ASCII")
            return nil
        }
        return secret
    }
}

extension Field {
    /// An `https` URL, or an `http` one where that is allowed (JWT-32).
    package func callableAddress(allowHTTP: Bool) -> String? {
        let expected = allowHTTP ? "an http or https URL" : "an https URL"
        guard let text = name(expected) else { return nil }
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let end = text[start...].firstIndex { "/?#\\".contains($0) } ?? text.endIndex
        guard let origin = try? WebOrigin(String(text[..<end])),
            text[end...].utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        else {
            invalid(expected)
            return nil
        }
        guard origin.isSecure || allowHTTP else {
            error("not encrypted", expected: "an https URL, or \"allowHttp\": true", found: summary)
            return nil
        }
        return text
    }
}
