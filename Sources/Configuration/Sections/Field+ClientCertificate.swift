import Bytes
import Declaration
import Model

extension Shape<[CertificatePattern]> {
    /// Requirements of clients' certificates.
    static let certificatePatterns = Shape(
        .named(
            "clientCertificate", .either([.flag, .list(.pattern("^(subject|dns|email|uri|ip):.+$"), minimum: 1)])),
        read: { $0.certificatePatterns() })
}

/// Requirements for client certificates.
extension Field {
    /// `true` for any certificate, `false` for no requirement (nil), or patterns of which one must match.
    /// - Parameter orFlag: whether `true` and `false` are accepted.
    func certificatePatterns(orFlag: Bool = true) -> [CertificatePattern]? {
        if orFlag, let flag = findings.plain(node, at: pointer).bool { return flag ? [] : nil }
        guard node.array != nil else {
            wrongType("\(orFlag ? "true, false or " : "")an array of patterns such as \"dns:*.example.com\"")
            // An invalid value must not open the route.
            return []
        }
        if node.array?.isEmpty == true {
            error("the list is empty", expected: "\(orFlag ? "true for any certificate, or " : "")at least one pattern")
        }
        return (names("an array of patterns") { $0.certificatePattern() } ?? []).compactMap { CertificatePattern($0) }
    }

    private func certificatePattern() -> String? {
        let expected = "\"subject:\", \"dns:\", \"email:\", \"uri:\" or \"ip:\" and a pattern"
        guard let text = name(expected) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let kinds = CertificatePattern.Kind.allCases.map(\.rawValue)
        guard parts.count == 2, !parts[1].isEmpty, kinds.contains(parts[0]) else {
            return invalid(expected, suggestion: Suggestion.nearest(to: parts[0], among: kinds).map { "\($0):" })
        }
        guard parts[0] == "ip" else { return text }
        guard let address = IPAddress(parts[1]) else { return invalid("\"ip:\" and an IP address") }
        return "ip:\(address)"
    }
}
