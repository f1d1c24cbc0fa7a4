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
}
