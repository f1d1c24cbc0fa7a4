import Model

extension TLSVersion {
    /// A name that is no version of TLS or its predecessor.
    package struct UnknownName: Error, Equatable, Sendable {
        package let name: String
    }

    /// The versions that a list of names allows, of those that are spoken at all (JWT-36): names of older ones are known
    /// and yield nothing.
    ///
    /// - Parameter names: of `SSL`, `SSLv2`, `SSLv3`, `TLS`, `TLSv1`, `TLSv1.1`, `TLSv1.2`, `TLSv1.3`; `TLS` stands for
    ///   every version of TLS (AMB-07).
    /// - Returns: nil where nothing is left, so that no connection can come about.
    package static func range(named names: [String]) throws(UnknownName) -> ClosedRange<TLSVersion>? {
        var versions: [TLSVersion] = []
        for name in names {
            switch name {
            case "TLSv1.2": versions.append(.tls12)
            case "TLSv1.3": versions.append(.tls13)
            case "TLS": versions += [.tls12, .tls13]
            case "SSL", "SSLv2", "SSLv3", "TLSv1", "TLSv1.1": break
            default: throw UnknownName(name: name)
            }
        }
        guard let least = versions.min(), let most = versions.max() else { return nil }
        return least...most
    }
}
