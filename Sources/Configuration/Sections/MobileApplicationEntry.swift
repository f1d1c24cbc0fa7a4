import Bytes

/// An application of a service domain and its profile (OMS-03).
package struct MobileApplicationEntry: Sendable {
    package var name: String
    /// `name/version`.
    package var backend: String
    /// What people know it by; nil for nothing.
    package var displayName: String?
    package var sharedSecret: Secret?
    package var urlScheme: String?
    /// Other places that browsers may come back to after a login at a provider, byte by byte (RP-02).
    package var redirectURIs: [String]
    package var participates: Bool
    package var agentPriority: Int?
    package var profileCacheSeconds: Int
    /// Seconds, 0 for no limit; nil where the application may choose (OMS-22).
    package var sessionTimeout: Int?
    package var idleTimeout: Int?
    package var maximumLoginAttempts: Int?
    package var lockoutSeconds: Int
    package var offlineAuthentication: Bool?
    /// Passed on to clients as they are.
    package var customAttributes: [JSONMember]
    package var claimAttributes: [String]
    package var accessTokenSeconds: Int

    private static let year = 31_536_000
    /// Schemes of URLs that lead to no application of its own.
    static let sharedSchemes = [
        "http", "https", "javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source",
    ]

    static func readAll(_ field: Field) -> [MobileApplicationEntry]? {
        let expected = "an object of applications by name"
        guard let members = field.node.members else {
            field.wrongType(expected)
            return nil
        }
        if members.isEmpty { field.error("no application", expected: "at least one application") }
        return field.object(expected).entries.compactMap { name, place in
            // No colon: it ends the name in the credential of a client (oam-wire 3.3).
            guard WebgateEntry.isName(name) else {
                place.error("invalid name of an application \"\(name)\"", expected: WebgateEntry.nameRule)
                return nil
            }
            return read(name, place)
        }
    }

    private static func read(_ name: String, _ field: Field) -> MobileApplicationEntry {
        var object = field.object("an application: {\"backend\"}")
        let backend = object.required("backend", "a backend as \"name/version\"", standIn: "") {
            $0.reference(to: .backend)
        }
        let sso = object.optional("sso", singleSignOn)
        let application = MobileApplicationEntry(
            name: name, backend: backend,
            displayName: object.optional("displayName") { $0.name("a name for people") },
            sharedSecret: object.optional("sharedSecret") { $0.secret() },
            urlScheme: object.optional("urlScheme") { $0.urlScheme() },
            redirectURIs: object.value("redirectUris", default: []) {
                $0.names("an array of URIs") { $0.redirectURI() }
            },
            participates: sso?.participates ?? false, agentPriority: sso?.priority,
            profileCacheSeconds: object.count(
                "profileCacheDuration", in: 0...year, default: 3600, "a number of seconds"),
            sessionTimeout: object.optional("sessionTimeout") { $0.integer(in: 0...year, "a number of seconds") },
            idleTimeout: object.optional("idleTimeout") { $0.integer(in: 0...year, "a number of seconds") },
            maximumLoginAttempts: object.optional("maxLoginAttempts") {
                $0.integer(in: 1...1000, "a number of attempts")
            },
            lockoutSeconds: object.count("lockoutSeconds", in: 1...86_400, default: 300, "a number of seconds"),
            offlineAuthentication: object.optional("offlineAuthentication") { $0.bool() },
            customAttributes: object.value("mobileCustomAttributes", default: [], customAttributes),
            claimAttributes: object.value("claimAttributes", default: []) { $0.names("an array of claims") },
            accessTokenSeconds: object.count(
                "accessTokenSeconds", in: 1...year, default: 3600, "a number of seconds"))
        object.finish()
        return application
    }

    private static func singleSignOn(_ field: Field) -> (participates: Bool, priority: Int?)? {
        var object = field.object("an object with \"participate\" and \"agentPriority\"")
        let participates = object.flag("participate", default: false)
        let priorityField = object.take("agentPriority")
        let priority = priorityField.flatMap { place in
            place.node.isNull ? nil : place.integer(in: 0...1_000_000, "a priority")
        }
        if priority != nil, !participates {
            priorityField?.error("an agent takes part itself", expected: "\"participate\": true")
        }
        object.finish()
        return (participates, priority)
    }

    /// The schemes of CRYPTO-01, whose name an application is told for its verifiers (CRYPTO-02).
    private static let cryptoSchemes = UserEntry.schemes.filter { $0 != "scrypt" }

    /// What is known among them is checked; whatever else there is, is passed on.
    private static func customAttributes(_ field: Field) -> [JSONMember]? {
        guard let members = field.node.members else {
            field.wrongType("an object")
            return nil
        }
        var attributes = members
        for entry in field.object("an object").entries where entry.name == "CryptoScheme" {
            _ = entry.field.choice(cryptoSchemes)
        }
        completeLocation(&attributes)
        return attributes
    }

    /// OMS-21: a distance filter that is missing or invalid is 1000 metres where location updates are on. The switch is
    /// printed with a number in its place, too (CON-13).
    private static func completeLocation(_ attributes: inout [JSONMember]) {
        let standard = JSONNode(.number("1000"))
        let distance = "LocationUpdateDistanceFilter"
        guard let enabled = attributes.first(where: { $0.name == "LocationUpdateEnabled" })?.node,
            enabled.bool ?? ((enabled.number ?? 0) > 0)
        else { return }
        if let place = attributes.firstIndex(where: { $0.name == distance }) {
            if (attributes[place].node.number ?? 0) <= 0 { attributes[place].node = standard }
        } else {
            attributes.append(JSONMember(name: distance, node: standard))
        }
    }
}

extension Field {
    /// Where browsers are sent: compared as it is, so without anything that could be read in two ways.
    fileprivate func redirectURI() -> String? {
        let expected = "a URI such as \"https://app.example.com/back\" or \"demoapp://back\""
        guard let text = name(expected) else { return nil }
        let scheme = String(text.prefix { $0 != ":" }).lowercased()
        let isWeb = scheme == "https" || scheme == "http"
        guard text.contains("://"), isWeb || !MobileApplicationEntry.sharedSchemes.contains(scheme),
            text.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && !"#\\\"<>".utf8.contains($0) })
        else {
            invalid(expected)
            return nil
        }
        if scheme == "http", findings.production {
            warning("the code goes in the clear", expected: "an https URI, or a scheme of the application's own")
        }
        return text
    }

    /// The scheme of an application's own URLs (RFC 3986 section 3.1).
    fileprivate func urlScheme() -> String? {
        let expected = "a URL scheme such as \"demoapp\""
        guard let text = text(expected) else { return nil }
        let bytes = Array(text.utf8)
        guard let first = bytes.first, ASCII.isLetter(first),
            bytes.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else {
            invalid(expected)
            return nil
        }
        return text
    }
}
