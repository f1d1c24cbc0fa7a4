import Bytes

/// The fields in which a proxy describes a request. Each may occur once.
struct DescriptionFields {
    private(set) var forwardedMethod: ByteRange?
    private(set) var forwardedTarget: ByteRange?
    private(set) var forwardedHost: ByteRange?
    private(set) var forwardedScheme: ByteRange?
    private(set) var originalMethod: ByteRange?
    private(set) var originalTarget: ByteRange?
    private(set) var originalURL: ByteRange?

    /// Whether a field of this family names the method or the target.
    var hasForwardedFamily: Bool { forwardedMethod != nil || forwardedTarget != nil }
    var hasOriginalFamily: Bool { originalMethod != nil || originalTarget != nil || originalURL != nil }

    init(_ headers: HeaderTable, _ bytes: Span<UInt8>) throws(DescriptionError) {
        for i in 0..<headers.count {
            let field = headers[i]
            guard let property = DescriptionFields.property(of: field, bytes) else { continue }
            guard self[keyPath: property] == nil else { throw .repeatedField }
            self[keyPath: property] = field.value
        }
    }

    /// Nil for a field that is no part of the description.
    private static func property(
        of field: HeaderField, _ bytes: Span<UInt8>
    ) -> WritableKeyPath<DescriptionFields, ByteRange?>? {
        switch field.token {
        case .xForwardedHost: return \.forwardedHost
        case .xForwardedProto: return \.forwardedScheme
        case .xOriginalMethod: return \.originalMethod
        case .xOriginalURL: return \.originalURL
        case .other: break
        default: return nil
        }
        let name = bytes.slice(field.name)
        if matches(name, "X-Forwarded-Method") { return \.forwardedMethod }
        if matches(name, "X-Forwarded-Uri") { return \.forwardedTarget }
        return matches(name, "X-Original-URI") ? \.originalTarget : nil
    }

    /// Whether a field does not belong to the described request: framing and connection of the question, and the
    /// description.
    static func isOfQuestion(
        _ field: HeaderField, _ options: ConnectionOptions, _ headers: HeaderTable, _ bytes: Span<UInt8>
    ) -> Bool {
        switch field.token {
        case .host, .contentLength, .expect, .xForwardedFor, .xForwardedPort, .xForwardedPrefix, .forwarded: true
        default: HopByHop.drops(field, options, headers, bytes) || property(of: field, bytes) != nil
        }
    }
}
