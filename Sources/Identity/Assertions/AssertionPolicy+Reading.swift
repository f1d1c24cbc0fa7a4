import Bytes
import Model

extension AssertionPolicy {
    /// Reads the object of `Security_AuthTokenConfiguration` (JWT-01 to JWT-08). Never fails: errors become findings,
    /// and the tokens of affected entries are not exchanged.
    /// - Parameters:
    ///   - baseURL: without a trailing slash.
    ///   - lifetime: `Security_TokenExchangeTimeoutSecs` and `Security_TokenExchangeTimeoutPolicy`.
    ///   - catalogue: roles that can be granted, for warnings about others.
    package init(_ node: JSONNode, baseURL: String, lifetime: TokenLifetime, catalogue: RoleCatalogue) {
        self.init(lifetime: lifetime)
        var reader = AssertionReader(node, "", gravity: .error)
        let (issuers, samlIssuers) = readMembers(&reader)
        reader.finish()
        findings = reader.findings
        if let samlIssuers { readSAML(samlIssuers, baseURL: baseURL, catalogue: catalogue) }
        // With SAML issuers alone, `issuers` may be absent.
        if issuers == nil, samlIssuers?.array != nil { return }
        guard let elements = issuers?.array else {
            isSound = false
            if issuers != nil {
                complain("/issuers", "wrong type: no token can be exchanged", expected: "an array of issuers")
            }
            return
        }
        entries = elements.enumerated().map { index, element in
            read(element, at: "/issuers/\(index)", gravity: .warning) { reader in
                AssertionIssuer(&reader, baseURL: baseURL, catalogue: catalogue)
            }
        }
        entries = withoutDuplicates(entries, of: "issuers")
    }

    /// The form of the object.
    package static var form: ObjectForm {
        AssertionReader.form { reader in
            var policy = AssertionPolicy()
            _ = policy.readMembers(&reader)
        }
    }

    private mutating func readMembers(_ reader: inout AssertionReader) -> (issuers: JSONNode?, samlIssuers: JSONNode?) {
        reader.rules(.atLeastOne(of: "issuers", "samlIssuers", because: "required member \"issuers\" is missing"))
        let issuers = reader.take(
            "issuers", .list(.object(AssertionIssuer.form), isUnique: false), "Issuers whose JWTs are exchanged.")
        let samlIssuers = reader.take(
            "samlIssuers", .list(.object(AssertionIssuer.samlForm), isUnique: false),
            "Issuers whose [SAML assertions](guides/saml-exchange.md) are exchanged.")
        policyReload.minimum = reader.seconds(
            "policyMinReloadInterval", default: policyReload.minimum,
            """
            The policies are read again for a token of an unknown issuer, unless the last time was less than so many seconds \
            ago.
            """
        )
        policyReload.maximum = reader.seconds(
            "policyMaxReloadInterval", default: policyReload.maximum,
            "The policies are read again before an exchange, after so many seconds.")
        certificateReload.minimum = reader.seconds(
            "certificatesMinReloadInterval", default: certificateReload.minimum,
            """
            `certificates.json` is read again for a token that no certificate verifies, unless the last time was less than so \
            many seconds ago.
            """
        )
        certificateReload.maximum = reader.seconds(
            "certificatesMaxReloadInterval", default: certificateReload.maximum,
            "`certificates.json` is read again before an exchange, after so many seconds.")
        return (issuers, samlIssuers)
    }

    /// A SAML assertion replaces a whole login, so configuration checks report an unusable entry as an error (SAML-09).
    private mutating func readSAML(_ node: JSONNode, baseURL: String, catalogue: RoleCatalogue) {
        guard let elements = node.array else {
            complain("/samlIssuers", "wrong type: no assertion can be exchanged", expected: "an array of issuers")
            return
        }
        samlEntries = elements.enumerated().map { index, element in
            read(element, at: "/samlIssuers/\(index)", gravity: .error) { reader in
                AssertionIssuer(saml: &reader, baseURL: baseURL, catalogue: catalogue)
            }
        }
        samlEntries = withoutDuplicates(samlEntries, of: "samlIssuers")
    }

    private mutating func read(
        _ node: JSONNode, at pointer: String, gravity: Severity,
        _ make: (inout AssertionReader) -> AssertionIssuer?
    ) -> Entry {
        guard node.members != nil else {
            findings.append(
                AssertionFinding(
                    severity: gravity, pointer: pointer, message: "wrong type, disabled", expected: "an issuer object"))
            return Entry(name: nil, issuer: nil)
        }
        var reader = AssertionReader(node, pointer)
        let issuer = make(&reader)
        findings += reader.findings
        let name = node["issuerName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        if issuer == nil {
            findings.append(
                AssertionFinding(
                    severity: gravity, pointer: pointer,
                    message: "the issuer\(name.map { " \"\($0)\"" } ?? "") is disabled until this is mended",
                    expected: nil))
        }
        return Entry(name: name, issuer: issuer)
    }

    /// Drops both of two entries for one issuer: the intended rules are ambiguous.
    private mutating func withoutDuplicates(_ entries: [Entry], of member: String) -> [Entry] {
        var entries = entries
        var places: [[UInt8]: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            if let name = entry.name { places[Array(name.utf8), default: []].append(index) }
        }
        for group in places.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
            for index in group.dropFirst() {
                complain(
                    "/\(member)/\(index)/issuerName", "issuer \(group[0]) has this \"issuerName\" already",
                    expected: "a unique name")
            }
            for index in group { entries[index] = Entry(name: entries[index].name, issuer: nil) }
        }
        return entries
    }

    private mutating func complain(_ pointer: String, _ message: String, expected: String?) {
        findings.append(
            AssertionFinding(severity: .error, pointer: pointer, message: message, expected: expected))
    }
}
