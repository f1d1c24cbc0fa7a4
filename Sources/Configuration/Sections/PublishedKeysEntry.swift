import Bytes
import Declaration
import Model

/// The published keys of a trusted issuer and how they are fetched (JWT-30 to JWT-38).
package struct PublishedKeysEntry: Sendable {
    package var settings: RemoteKeySettings
    /// Absolute path of a PEM file.
    package var trustFile: String?
    /// Whether the gateway is ready without the keys.
    package var isOptional = false

    /// Reads the members of a trusted issuer.
    /// - Parameter issuer: whose standard discovery document has the keys if no other address is named.
    static func read(_ object: inout ObjectReader, issuer: String) -> PublishedKeysEntry? {
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
            used; by default `issuer` and `/.well-known/openid-configuration`.
            """)
        let keys = object.take(
            "jwksUri", address,
            "The JWK set; the discovery document is not fetched then.")
        var standard: WebURL?
        if discovery == nil, keys == nil, object.field.node.members != nil {
            standard = try? WebURL(OpenIDSettings.discovery(of: issuer))
            if let standard, !standard.isSecure, !allowHTTP {
                object.field.findings.error(
                    JSONPointer.child(object.field.pointer, "issuer"),
                    "the keys are found by \"issuer\", which is not encrypted",
                    expected: "an https URL, \"allowHttp\": true, or \"jwksFile\"", found: "\"\(issuer)\"")
            } else if standard == nil {
                object.field.error(
                    "the keys are missing, and \"issuer\" is no https URL to find them by",
                    expected: "\"jwksFile\", \"discoveryUri\" or \"jwksUri\"")
            }
        }
        if allowHTTP, object.field.findings.production {
            object.field.warning(
                "a man in the middle can replace the keys of the issuer", expected: "\"allowHttp\": false")
        }
        let settings = try? RemoteKeySettings(
            issuer: "", discovery: discovery?.read() ?? standard, keys: keys?.read(), allowHTTP: allowHTTP)
        // Without an address, which was reported, the other keys are read all the same.
        var entry = PublishedKeysEntry(settings: settings ?? .placeholder)
        entry.settings.connectTimeoutMilliseconds = 5000
        entry.settings.readTimeoutMilliseconds = 10_000
        entry.read(&object)
        return settings == nil ? nil : entry
    }

    private mutating func read(_ object: inout ObjectReader) {
        let minimumReload = object.value(
            "minReloadInterval", .duration, default: .seconds(60),
            "Least time between two fetches while there are keys.")
        let maximumReload = object.value(
            "maxReloadInterval", .duration, default: .seconds(28_800),
            "Longest time without a fetch; in between, `Cache-Control` of the issuer counts.")
        settings.minimumReloadSeconds = minimumReload.components.seconds
        settings.maximumReloadSeconds = maximumReload.components.seconds
        object.read(
            "maxStale", Shape<Duration>.durationOrOff.wholeSeconds, into: &settings.staleSeconds,
            "How much longer keys are used while the issuer does not answer; `0s` for not at all.")
        object.read(
            "connectTimeout", .milliseconds, into: &settings.connectTimeoutMilliseconds,
            "Time for name resolution, connection and handshake.")
        object.read(
            "readTimeout", .milliseconds, into: &settings.readTimeoutMilliseconds, "Time for the whole answer.")
        object.read(
            "tlsVersions", PublishedKeysEntry.versions, into: &settings.versions,
            "Versions of TLS, by default 1.2 and 1.3. Older names are accepted here and never used.")
        object.read(
            "authorizationHeader", PublishedKeysEntry.authorization, into: &settings.authorization,
            """
            Secret, sent as `Authorization` with both requests, also to the host that the discovery document \
            names: give `jwksUri` where no other host may have it.
            """)
        object.read(
            "trustFile", .text(.text) { $0.certificateFile() }, into: &trustFile,
            """
            PEM file with authorities that are trusted beside those of the system. Certificate and host name are \
            always checked.
            """)
        object.read("optional", .flag, into: &isOptional, "Whether the gateway is ready without the keys.")
        if minimumReload < .seconds(1) || minimumReload > maximumReload {
            object.field.findings.error(
                JSONPointer.child(object.field.pointer, "minReloadInterval"), "out of range",
                expected: "from \"1s\" to \"maxReloadInterval\"")
        }
    }

    /// JWT-36: insecure versions are accepted for compatibility and ignored.
    private static let versions = Shape<RemoteKeySettings.Versions>(
        .list(.choice(sound + insecure), minimum: 1, isUnique: false)
    ) { field in
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
        return (try? TLSVersion.range(named: names)).map { .range($0) } ?? RemoteKeySettings.Versions.none
    }

    private static let sound = ["TLS", "TLSv1.2", "TLSv1.3"]
    private static let insecure = ["TLSv1.1", "TLSv1", "SSL", "SSLv3", "SSLv2"]

    private static let authorization = Shape<String>(.secret) { field in
        guard let secret = field.secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 >= ASCII.space && $0 < 0x7f }) else {
            return field.error("the value cannot stand in a field", expected: "printable ASCII")
        }
        return secret.value
    }
}

extension RemoteKeySettings {
    /// For an entry without an address.
    fileprivate static let placeholder: RemoteKeySettings = {
        guard
            let settings = try? RemoteKeySettings(
                issuer: "", discovery: nil, keys: WebURL(.placeholder), allowHTTP: true)
        else { preconditionFailure("the placeholder has an address") }
        return settings
    }()
}
