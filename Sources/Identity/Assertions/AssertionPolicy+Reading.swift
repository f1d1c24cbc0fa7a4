import Bytes
import Declaration
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
        var object = Field(node: node, pointer: "", findings: Findings()).object("an object")
        read(&object, baseURL, catalogue)
        object.finish()
        findings = object.field.findings.diagnostics.map(AssertionFinding.init)
    }

    /// The form of the object.
    package static var form: ObjectForm {
        ObjectForm.of { object in
            var policy = AssertionPolicy()
            policy.read(&object, "", RoleCatalogue([]))
        }
    }

    private mutating func read(_ object: inout ObjectReader, _ baseURL: String, _ catalogue: RoleCatalogue) {
        object.ignoreOthers()
        object.rules(.atLeastOne(of: "issuers", "samlIssuers", because: "required member \"issuers\" is missing"))
        let issuers = object.optional(
            "issuers", AssertionPolicy.entries(AssertionIssuer.shape(baseURL, catalogue), disabled: .warning),
            "Issuers whose JWTs are exchanged.")
        // A SAML assertion replaces a whole login, so configuration checks report an unusable entry as an error (SAML-09).
        let samlIssuers = object.optional(
            "samlIssuers", AssertionPolicy.entries(AssertionIssuer.samlShape(baseURL, catalogue), disabled: .error),
            "Issuers whose [SAML assertions](guides/saml-exchange.md) are exchanged.")
        // With SAML issuers alone, `issuers` may be absent.
        isSound = issuers != nil || samlIssuers != nil && !object.holds(.has("issuers"))
        entries = AssertionPolicy.withoutDuplicates(issuers ?? [], of: "issuers", object)
        samlEntries = AssertionPolicy.withoutDuplicates(samlIssuers ?? [], of: "samlIssuers", object)
        object.readInterval(
            "policyMinReloadInterval", into: &policyReload.minimum,
            """
            The policies are read again for a token of an unknown issuer, unless the last time was less than so many seconds \
            ago.
            """
        )
        object.readInterval(
            "policyMaxReloadInterval", into: &policyReload.maximum,
            "The policies are read again before an exchange, after so many seconds.")
        object.readInterval(
            "certificatesMinReloadInterval", into: &certificateReload.minimum,
            """
            `certificates.json` is read again for a token that no certificate verifies, unless the last time was less than so \
            many seconds ago.
            """
        )
        object.readInterval(
            "certificatesMaxReloadInterval", into: &certificateReload.maximum,
            "`certificates.json` is read again before an exchange, after so many seconds.")
    }

    /// A wrong value disables its entry alone (JWT-03).
    /// - Parameter severity: of an entry that is disabled.
    private static func entries(_ shape: Shape<AssertionIssuer>, disabled severity: Severity) -> Shape<[Entry]> {
        Shape<Entry>(
            shape.form(),
            read: { field in
                let part = field.apart
                let issuer = shape.read(part)
                field.findings.adopt(part.findings)
                let name = field.node["issuerName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
                if let issuer, !part.findings.hasErrors { return Entry(name: name, issuer: issuer) }
                let message = "the issuer\(name.map { " \"\($0)\"" } ?? "") is disabled until this is mended"
                if severity == .error { field.error(message) } else { field.warning(message) }
                return Entry(name: name, issuer: nil)
            }
        ).list("an array of issuers", isUnique: false)
    }

    /// Drops both of two entries for one issuer: the intended rules are ambiguous.
    private static func withoutDuplicates(
        _ entries: [Entry], of member: String, _ object: ObjectReader
    ) -> [Entry] {
        var entries = entries
        var places: [[UInt8]: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            if let name = entry.name { places[Array(name.utf8), default: []].append(index) }
        }
        for group in places.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
            for index in group.dropFirst() {
                object.error(
                    at: "\(member)/\(index)/issuerName", "issuer \(group[0]) has this \"issuerName\" already",
                    expected: "a unique name")
            }
            for index in group { entries[index] = Entry(name: entries[index].name, issuer: nil) }
        }
        return entries
    }
}

extension AssertionFinding {
    /// Without what was found: it may be a secret, or the value of a variable of the environment.
    fileprivate init(_ diagnostic: Diagnostic) {
        self.init(
            severity: diagnostic.severity, pointer: diagnostic.pointer, message: diagnostic.message,
            expected: diagnostic.expected)
    }
}

extension ObjectReader {
    /// Seconds; the default replaces a wrong value (JWT-08).
    mutating func readInterval(_ name: String, into seconds: inout Int64, from least: Int = 0, _ meaning: String) {
        let shape = Shape<Int>.integer(least...Int(TokenLifetime.longest)).map(Int64.init, back: Int.init)
        read(
            name,
            shape.forgiving(
                "wrong value, \(seconds) is used",
                expected: least == 0 ? "seconds as an integer that is not negative" : "a positive integer of seconds",
                with: seconds), into: &seconds, meaning)
    }
}

extension Shape<[String]> {
    /// Texts, of which one may stand twice.
    static let textList = Shape<String>.name.list("an array of non-empty strings", isUnique: false)

    /// Roles. Those outside the catalogue are never granted (ROLE-04).
    static func roles(_ catalogue: RoleCatalogue) -> Shape {
        textList.reading { field in
            let roles = textList.read(field)
            for role in roles ?? [] where catalogue.index(of: role) == nil {
                field.warning("unknown role \"\(role)\", never granted", expected: "a role of roles.json")
            }
            return roles
        }
    }
}
