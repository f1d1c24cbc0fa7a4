/// The severity of a log event, in ascending order.
package enum LogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error

    /// Position in this order.
    package var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
