import Bytes
import Model

extension AssertionIssuer {
    /// Reads `jwks` or `certificateSubjectNames`; having both is an error (AMB-03).
    static func keys(_ reader: inout AssertionReader) -> Keys? {
        let jwks = reader.take("jwks")
        let subjects = reader.take("certificateSubjectNames")
        switch (jwks, subjects) {
        case (let jwks?, nil): return AssertionKeySource(jwks, &reader).map(Keys.remote)
        case (nil, .some): return certificates(&reader)
        case (nil, nil):
            reader.fail(
                nil, "the issuer has no keys", expected: "either \"jwks\" or \"certificateSubjectNames\"")
        case (.some, .some):
            reader.fail(
                "certificateSubjectNames", "the issuer has \"jwks\" as well",
                expected: "either \"jwks\" or \"certificateSubjectNames\"")
        }
        return nil
    }

    static func certificates(_ reader: inout AssertionReader) -> Keys? {
        guard let texts = reader.texts("certificateSubjectNames") else { return nil }
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
        let allowsHTTP = reader.flag("allowHttp", default: false)
        self.init(
            discoveryURI: AssertionKeySource.address("discoveryUri", allowsHTTP, &reader),
            jwksURI: AssertionKeySource.address("jwksUri", allowsHTTP, &reader))
        self.allowsHTTP = allowsHTTP
        minimumReloadInterval = reader.seconds("minReloadInterval", default: minimumReloadInterval)
        maximumReloadInterval = reader.seconds("maxReloadInterval", default: maximumReloadInterval)
        connectTimeout = reader.seconds("connectTimeout", default: connectTimeout, from: 1)
        readTimeout = reader.seconds("readTimeout", default: readTimeout, from: 1)
        authorizationHeader = AssertionKeySource.fieldValue(&reader)
        trustFile = reader.text("trustFile")
        readVersions(&reader)
        if discoveryURI == nil, jwksURI == nil, !reader.isBroken {
            reader.fail(nil, "there is no address", expected: "\"discoveryUri\" or \"jwksUri\"")
        }
        reader.finish()
        issuer.add(reader)
        if reader.isBroken { return nil }
    }

    private static func address(_ name: String, _ allowsHTTP: Bool, _ reader: inout AssertionReader) -> WebURL? {
        guard let text = reader.text(name) else { return nil }
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
        guard let names = reader.texts("tlsVersions") else { return }
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
        guard let text = reader.text("authorizationHeader") else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            reader.fail("authorizationHeader", "wrong value", expected: "the value of a header field")
            return nil
        }
        return text
    }
}
