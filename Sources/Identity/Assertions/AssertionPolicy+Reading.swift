import Bytes

extension AssertionPolicy {
    /// Reads the object of `Security_AuthTokenConfiguration` (JWT-01 to JWT-08). It never fails: what is wrong is among
    /// the findings, and the tokens that it is about are not exchanged.
    /// - Parameters:
    ///   - baseURL: without a trailing slash.
    ///   - lifetime: `Security_TokenExchangeTimeoutSecs` and `Security_TokenExchangeTimeoutPolicy`.
    ///   - catalogue: roles that can be granted, for warnings of others.
    package init(_ node: JSONNode, baseURL: String, lifetime: TokenLifetime, catalogue: RoleCatalogue) {
        self.init(lifetime: lifetime)
        var reader = AssertionReader(node, "")
        readIntervals(&reader)
        let issuers = reader.take("issuers")
        reader.finish()
        findings = reader.findings
        guard let elements = issuers?.array else {
            isSound = false
            complain(
                issuers == nil ? "" : "/issuers",
                issuers == nil ? "required member \"issuers\" is missing" : "wrong type: no token can be exchanged",
                expected: "an array of issuers")
            return
        }
        for (index, element) in elements.enumerated() {
            read(element, at: "/issuers/\(index)", baseURL: baseURL, catalogue: catalogue)
        }
        disableDuplicates()
    }

    private mutating func readIntervals(_ reader: inout AssertionReader) {
        policyReload.minimum = reader.seconds("policyMinReloadInterval", default: policyReload.minimum)
        policyReload.maximum = reader.seconds("policyMaxReloadInterval", default: policyReload.maximum)
        certificateReload.minimum = reader.seconds("certificatesMinReloadInterval", default: certificateReload.minimum)
        certificateReload.maximum = reader.seconds("certificatesMaxReloadInterval", default: certificateReload.maximum)
    }

    private mutating func read(_ node: JSONNode, at pointer: String, baseURL: String, catalogue: RoleCatalogue) {
        guard node.members != nil else {
            findings.append(
                AssertionFinding(
                    severity: .warning, pointer: pointer, message: "wrong type, disabled", expected: "an issuer object")
            )
            entries.append(Entry(name: nil, issuer: nil))
            return
        }
        var reader = AssertionReader(node, pointer)
        let issuer = AssertionIssuer(&reader, baseURL: baseURL, catalogue: catalogue)
        findings += reader.findings
        let name = node["issuerName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        if issuer == nil {
            findings.append(
                AssertionFinding(
                    severity: .warning, pointer: pointer,
                    message: "the issuer\(name.map { " \"\($0)\"" } ?? "") is disabled until this is mended",
                    expected: nil))
        }
        entries.append(Entry(name: name, issuer: issuer))
    }

    /// Of two entries for one issuer neither is used: nobody knows by which rules its tokens were meant to be judged.
    private mutating func disableDuplicates() {
        var places: [[UInt8]: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            if let name = entry.name { places[Array(name.utf8), default: []].append(index) }
        }
        for group in places.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
            for index in group.dropFirst() {
                complain(
                    "/issuers/\(index)/issuerName", "issuer \(group[0]) has this \"issuerName\" already",
                    expected: "a unique name")
            }
            for index in group { entries[index] = Entry(name: entries[index].name, issuer: nil) }
        }
    }

    private mutating func complain(_ pointer: String, _ message: String, expected: String?) {
        findings.append(
            AssertionFinding(severity: .error, pointer: pointer, message: message, expected: expected))
    }
}
