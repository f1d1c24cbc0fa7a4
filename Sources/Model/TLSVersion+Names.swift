extension TLSVersion {
    /// An unknown name.
    package struct UnknownName: Error, Equatable, Sendable {
        package let name: String
    }

    /// The supported versions of a list of names (JWT-36). Names of older versions are known and ignored.
    ///
    /// - Parameter names: `SSL`, `SSLv2`, `SSLv3`, `TLS`, `TLSv1`, `TLSv1.1`, `TLSv1.2`, `TLSv1.3`; `TLS` means every
    ///   version of TLS (AMB-07).
    /// - Returns: nil if no version remains, so that no connection is possible.
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
