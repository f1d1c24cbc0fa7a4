import Bytes
import Declaration
import Model

extension AssertionIssuer {
    /// Reads `jwks` or `certificateSubjectNames`; having both is an error (AMB-03).
    mutating func readKeys(_ object: inout ObjectReader) {
        object.rules(
            .exactlyOne(
                of: "jwks", "certificateSubjectNames", none: "the issuer has no keys",
                several: "the issuer has \"jwks\" as well",
                expected: "either \"jwks\" or \"certificateSubjectNames\""))
        let jwks = object.optional(
            "jwks", AssertionKeySource.shape,
            "Where its keys are fetched, as for [trusted issuers](guides/trusted-issuers.md).")
        let subjects = object.optional("certificateSubjectNames", .subjects, AssertionIssuer.subjectsMeaning)
        if let keys = jwks.map(Keys.remote) ?? subjects.map(Keys.certificates) { self.keys = keys }
    }

    static let subjectsMeaning =
        "Subjects of certificates in `certificates.json` (RFC 4514), such as `CN=idp.example.com,O=Example`."
}

extension Shape<[DistinguishedName]> {
    /// Subjects of certificates.
    static let subjects = Shape(
        .list(.text, minimum: 1, isUnique: false),
        read: { field in
            let texts = Shape<[String]>.textList.read(field)
            let names = (texts ?? []).compactMap(DistinguishedName.init)
            if let texts, names.isEmpty || names.count != texts.count {
                return field.error(
                    "wrong value", expected: "subjects of certificates, such as \"CN=idp.example.com,O=Example\"")
            }
            return names
        })
}

extension AssertionKeySource {
    /// `jwks` (JWT-30 to JWT-38).
    fileprivate static let shape = Shape<AssertionKeySource>.object("an object") { object in
        object.ignoreOthers()
        object.rules(.atLeastOne(of: "discoveryUri", "jwksUri", because: "there is no address"))
        let allowsHTTP = object.flag("allowHttp", default: false, "Whether the addresses may have the scheme `http`.")
        // JWT-32.
        let address = Shape<WebURL>(
            .pattern("^[Hh][Tt][Tt][Pp][Ss]?://."), read: { $0.url(allowHTTP: allowsHTTP) })
        var source = AssertionKeySource(
            discoveryURI: object.optional("discoveryUri", address, "Discovery document of OpenID Connect."),
            jwksURI: object.optional(
                "jwksUri", address, "JWK set. With it, the discovery document is not fetched."))
        source.allowsHTTP = allowsHTTP
        object.readInterval(
            "minReloadInterval", into: &source.minimumReloadInterval, "Seconds between two fetches at least.")
        object.readInterval(
            "maxReloadInterval", into: &source.maximumReloadInterval,
            "Seconds after which the keys are fetched again.")
        object.readInterval("connectTimeout", into: &source.connectTimeout, from: 1, "Seconds for a connection.")
        object.readInterval("readTimeout", into: &source.readTimeout, from: 1, "Seconds for a response.")
        object.read(
            "authorizationHeader", fieldValue, into: &source.authorizationHeader, "`Authorization` of the requests.")
        object.read(
            "trustFile", .name, into: &source.trustFile, "PEM file with authorities beside those of the system.")
        object.read(
            "tlsVersions", versions, into: &source.tlsVersions,
            "Accepted versions of TLS. `TLS` stands for all; SSL is not supported.")
        return source
    }

    private static let versions = Shape<[String]>(
        .list(.choice(tlsVersionNames), isUnique: false), write: { .texts($0) },
        read: { field in
            guard let names = Shape.textList.read(field) else { return nil }
            guard names.allSatisfy(tlsVersionNames.contains) else {
                return field.error(
                    "unknown version", expected: "names out of \(tlsVersionNames.joined(separator: ", "))")
            }
            for name in names where name.hasPrefix("SSL") {
                field.warning("\(name) is broken, and not there any more")
            }
            if !names.contains(where: { $0.hasPrefix("TLS") }) {
                field.warning("no key can be fetched", expected: "\"TLSv1.2\" or \"TLSv1.3\" among them")
            }
            return names
        })

    /// The value of a header field, which no message shows.
    private static let fieldValue = Shape<String>(
        .text,
        read: { field in
            guard let text = field.node.string, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                return field.error("wrong value", expected: "the value of a header field")
            }
            return text
        })
}
