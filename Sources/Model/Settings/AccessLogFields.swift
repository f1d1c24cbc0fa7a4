/// Optional members of access log lines.
package struct AccessLogFields: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let host = AccessLogFields(rawValue: 1)
    package static let httpVersion = AccessLogFields(rawValue: 1 << 1)
    package static let tlsVersion = AccessLogFields(rawValue: 1 << 2)
    package static let userAgent = AccessLogFields(rawValue: 1 << 3)
    /// What a decision by other rules needs to know of request and caller.
    package static let replay = AccessLogFields(rawValue: 1 << 4)

    /// The names of the fields, in the order of their bits.
    package static let names = ["host", "http_version", "tls_version", "user_agent", "replay"]

    /// The fields of these names; other names are ignored.
    package init(named names: [String]) {
        self.init(rawValue: names.compactMap(AccessLogFields.names.firstIndex).reduce(0) { $0 | 1 << UInt8($1) })
    }
}
