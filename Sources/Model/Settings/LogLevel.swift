/// How severe an event of the log is, from the least on.
package enum LogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error

    /// The place in this order.
    package var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
