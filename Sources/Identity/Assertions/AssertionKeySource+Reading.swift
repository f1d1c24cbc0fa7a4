import Bytes
import Model

extension AssertionIssuer {
    /// Reads `jwks` or `certificateSubjectNames`; having both is an error (AMB-03).
    static func keys(_ reader: inout AssertionReader) -> Keys? {
        reader.rules(
            .exactlyOne(
                of: "jwks", "certificateSubjectNames", none: "the issuer has no keys",
                several: "the issuer has \"jwks\" as well",
                expected: "either \"jwks\" or \"certificateSubjectNames\""))
        let jwks = reader.take(
            "jwks", .object(AssertionReader.form { _ = AssertionKeySource(&$0) }),
            "Where its keys are fetched, as for [trusted issuers](guides/trusted-issuers.md).")
        let subjects = certificates(&reader)
        return jwks.flatMap { AssertionKeySource($0, &reader) }.map(Keys.remote) ?? subjects
    }

    static func certificates(_ reader: inout AssertionReader, isRequired: Bool = false) -> Keys? {
        let form = Form.list(.text, minimum: 1, isUnique: false)
        let texts = reader.texts(
            "certificateSubjectNames", as: form, isRequired: isRequired,
            "Subjects of certificates in `certificates.json` (RFC 4514), such as `CN=idp.example.com,O=Example`.")
        guard let texts else { return nil }
        let names = texts.compactMap(DistinguishedName.init)
        guard !names.isEmpty, names.count == texts.count else {
            reader.fail(
                "certificateSubjectNames", "wrong value",
                expected: "subjects of certificates, such as \"CN=idp.example.com,O=Example\"")
            return nil
        }
        return .certificates(names)
    }
}

extension AssertionKeySource {
    /// Reads `jwks` (JWT-30 to JWT-38); nil if unusable.
    fileprivate init?(_ node: JSONNode, _ issuer: inout AssertionReader) {
        guard node.members != nil else {
            issuer.fail("jwks", "wrong type", expected: "an object")
            return nil
        }
        var reader = AssertionReader(node, issuer.pointer + "/jwks")
        self.init(&reader)
        reader.finish()
        issuer.add(reader)
        if reader.isBroken { return nil }
    }

    fileprivate init(_ reader: inout AssertionReader) {
        reader.rules(.atLeastOne(of: "discoveryUri", "jwksUri", because: "there is no address"))
        let allowsHTTP = reader.flag("allowHttp", default: false, "Whether the addresses may have the scheme `http`.")
        self.init(
            discoveryURI: AssertionKeySource.address(
                "discoveryUri", allowsHTTP, "Discovery document of OpenID Connect.", &reader),
            jwksURI: AssertionKeySource.address(
                "jwksUri", allowsHTTP, "JWK set. With it, the discovery document is not fetched.", &reader))
        self.allowsHTTP = allowsHTTP
        minimumReloadInterval = reader.seconds(
            "minReloadInterval", default: minimumReloadInterval, "Seconds between two fetches at least.")
        maximumReloadInterval = reader.seconds(
            "maxReloadInterval", default: maximumReloadInterval, "Seconds after which the keys are fetched again.")
        connectTimeout = reader.seconds(
            "connectTimeout", default: connectTimeout, from: 1, "Seconds for a connection.")
        readTimeout = reader.seconds(
            "readTimeout", default: readTimeout, from: 1, "Seconds for a response.")
        authorizationHeader = AssertionKeySource.fieldValue(&reader)
        trustFile = reader.text("trustFile", "PEM file with authorities beside those of the system.")
        readVersions(&reader)
    }

    private static func address(
        _ name: String, _ allowsHTTP: Bool, _ meaning: String, _ reader: inout AssertionReader
    ) -> WebURL? {
        guard let text = reader.text(name, as: .pattern("^[Hh][Tt][Tt][Pp][Ss]?://."), meaning) else { return nil }
        do throws(WebURL.Problem) {
            let url = try WebURL(text)
            // JWT-32.
            if url.isSecure || allowsHTTP { return url }
            reader.fail(name, "http is not allowed", expected: "https, or \"allowHttp\": true")
        } catch {
            reader.fail(name, "wrong value: \(error.rawValue)", expected: "an https address")
        }
        return nil
    }

    private mutating func readVersions(_ reader: inout AssertionReader) {
        let form = Form.list(.choice(AssertionKeySource.tlsVersionNames), isUnique: false)
        let names = reader.texts(
            "tlsVersions", as: form, default: tlsVersions,
            "Accepted versions of TLS. `TLS` stands for all; SSL is not supported.")
        guard let names else { return }
        guard names.allSatisfy(AssertionKeySource.tlsVersionNames.contains) else {
            reader.fail(
                "tlsVersions", "unknown version",
                expected: "names out of \(AssertionKeySource.tlsVersionNames.joined(separator: ", "))")
            return
        }
        tlsVersions = names
        for name in names where name.hasPrefix("SSL") {
            reader.warn("tlsVersions", "\(name) is broken, and not there any more")
        }
        if !names.contains(where: { $0.hasPrefix("TLS") }) {
            reader.warn("tlsVersions", "no key can be fetched", expected: "\"TLSv1.2\" or \"TLSv1.3\" among them")
        }
    }

    /// Text that is safe as the value of a header field.
    private static func fieldValue(_ reader: inout AssertionReader) -> String? {
        guard let text = reader.text("authorizationHeader", "`Authorization` of the requests.") else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            reader.fail("authorizationHeader", "wrong value", expected: "the value of a header field")
            return nil
        }
        return text
    }
}
