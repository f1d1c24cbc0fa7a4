import Bytes
import Model

/// The published keys of a trusted issuer and how they are fetched (JWT-30 to JWT-38).
package struct PublishedKeysEntry: Sendable {
    /// URL of the discovery document; not used with `jwksURI`.
    package var discoveryURI: WebURL?
    package var jwksURI: WebURL?
    package var allowHTTP: Bool
    package var minimumReload: Duration
    package var maximumReload: Duration
    package var maximumStale: Duration
    package var connectTimeout: Duration
    package var readTimeout: Duration
    /// Nil for the secure versions.
    package var tlsVersions: [String]?
    package var authorization: Secret?
    /// Absolute path of a PEM file.
    package var trustFile: String?
    /// Whether the gateway is ready without the keys.
    package var isOptional: Bool

    static let memberNames = ObjectForm.of { PublishedKeysEntry.read(&$0, hasFile: false) }.names

    /// Reads the members of a trusted issuer; nil if it has a key file.
    static func read(_ object: inout ObjectReader, hasFile: Bool) -> PublishedKeysEntry? {
        guard !hasFile else {
            for name in memberNames {
                object.take(name)?.error("the keys stand in a file", expected: "no \"\(name)\" beside \"jwksFile\"")
            }
            return nil
        }
        let allowHTTP = object.flag(
            "allowHttp", default: false,
            """
            Whether these addresses, and the `jwks_uri` found, may be `http`. Anyone on the path to the issuer can \
            then choose its keys.
            """)
        let address = Shape.url(allowHTTP: allowHTTP)
        let discovery = object.take(
            "discoveryUri", address,
            """
            The discovery document, whose `issuer` must equal the entry's byte by byte, and whose `jwks_uri` is \
            used.
            """)
        let keys = object.take(
            "jwksUri", address,
            "The JWK set; the discovery document is not fetched then.")
        if discovery == nil, keys == nil, object.field.node.members != nil {
            object.field.error(
                "the keys are missing", expected: "\"jwksFile\", \"discoveryUri\" or \"jwksUri\"")
        }
        if allowHTTP, object.field.findings.production {
            object.field.warning(
                "a man in the middle can replace the keys of the issuer", expected: "\"allowHttp\": false")
        }
        let entry = PublishedKeysEntry(
            discoveryURI: discovery?.read(),
            jwksURI: keys?.read(), allowHTTP: allowHTTP,
            minimumReload: object.value(
                "minReloadInterval", .duration, default: .seconds(60),
                "Least time between two fetches while there are keys."),
            maximumReload: object.value(
                "maxReloadInterval", .duration, default: .seconds(28_800),
                "Longest time without a fetch; in between, `Cache-Control` of the issuer counts."),
            maximumStale: object.value(
                "maxStale", .durationOrOff, default: .seconds(86_400),
                "How much longer keys are used while the issuer does not answer; `0s` for not at all."),
            connectTimeout: object.value(
                "connectTimeout", .duration, default: .seconds(5), "Time for name resolution, connection and handshake."
            ),
            readTimeout: object.value("readTimeout", .duration, default: .seconds(10), "Time for the whole answer."),
            tlsVersions: object.optional(
                "tlsVersions", versions,
                "Versions of TLS, by default 1.2 and 1.3. Older names are accepted here and never used."),
            authorization: object.optional(
                "authorizationHeader", authorization,
                """
                Secret, sent as `Authorization` with both requests, also to the host that the discovery document \
                names: give `jwksUri` where no other host may have it.
                """),
            trustFile: object.optional(
                "trustFile", .text(.text) { $0.certificateFile() },
                """
                PEM file with authorities that are trusted beside those of the system. Certificate and host name are \
                always checked.
                """),
            isOptional: object.flag("optional", default: false, "Whether the gateway is ready without the keys."))
        if entry.minimumReload < .seconds(1) || entry.minimumReload > entry.maximumReload {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, "minReloadInterval"), "out of range",
                expected: "from \"1s\" to \"maxReloadInterval\"")
        }
        return entry
    }

    /// JWT-36: insecure versions are accepted for compatibility and ignored.
    private static let versions = Shape.texts(.list(.choice(sound + insecure), minimum: 1, isUnique: false)) { field in
        guard let elements = field.elements("an array of TLS versions") else { return nil }
        let names = elements.compactMap { element -> String? in
            let name = element.choice(sound + insecure)
            if let name, !sound.contains(name) {
                element.warning("\(name) is not spoken", expected: "TLSv1.2 or newer")
            }
            return name
        }
        // A warning, so that migrated configurations remain valid (JWT-36).
        if !names.contains(where: sound.contains) {
            field.warning("no version is left that is spoken: every fetch fails", expected: "TLSv1.2, TLSv1.3 or both")
        }
        return names
    }

    private static let sound = ["TLS", "TLSv1.2", "TLSv1.3"]
    private static let insecure = ["TLSv1.1", "TLSv1", "SSL", "SSLv3", "SSLv2"]

    private static let authorization = Shape<Secret>.secret.reading { field in
        guard let secret = field.secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 >= ASCII.space && $0 < 0x7f }) else {
            return field.error("the value cannot stand in a field", expected: "printable ASCII")
        }
        return secret
    }
}
