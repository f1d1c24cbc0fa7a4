import Configuration
import Gateway

extension LogSection {
    /// What the access log tells beside the rest, as workers know it.
    var accessFields: AccessLogFields {
        fields.reduce(into: []) { fields, detail in
            switch detail {
            case .host: fields.insert(.host)
            case .httpVersion: fields.insert(.httpVersion)
            case .tlsVersion: fields.insert(.tlsVersion)
            case .userAgent: fields.insert(.userAgent)
            }
        }
    }

    /// The least severe events that are logged.
    var eventLevel: EventLog.Level {
        switch level {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
