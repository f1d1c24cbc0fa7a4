import Bytes

/// `/yambas/rest/apps/{app}/models/{module}/{class}[/{id}]`: the user class of an application, or one of its users
/// (AOM-18).
struct UserObjectPath: Sendable, Equatable {
    static let prefix = "/yambas/rest/apps/"

    let application: String
    let module: String
    let className: String
    /// Nil for the class itself.
    let id: String?

    /// - Parameter path: canonical, so that what is still percent-encoded is no delimiter.
    init?(_ path: String) {
        guard path.utf8.starts(with: UserObjectPath.prefix.utf8) else { return nil }
        let segments = Array(path.utf8.dropFirst(UserObjectPath.prefix.utf8.count))
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
        let parts = segments.compactMap { UserObjectPath.decode(Array($0)) }
        guard parts.count == segments.count, (4...5).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
            parts[1].utf8.elementsEqual("models".utf8)
        else { return nil }
        application = parts[0]
        module = parts[2]
        className = parts[3]
        id = parts.count == 5 ? parts[4] : nil
    }

    /// One segment without its percent-encoding (RFC 3986 section 2.1); nil for what is no UTF-8.
    private static func decode(_ segment: [UInt8]) -> String? {
        var decoded: [UInt8] = []
        var place = 0
        while place < segment.count {
            var byte = segment[place]
            if byte == ASCII.percent {
                guard place + 2 < segment.count, let high = ASCII.hexadecimalValue(segment[place + 1]),
                    let low = ASCII.hexadecimalValue(segment[place + 2])
                else { return nil }
                byte = high << 4 | low
                place += 2
            }
            decoded.append(byte)
            place += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The segment of a name in a path.
    static func encode(_ name: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in name.utf8 {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [ASCII.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
