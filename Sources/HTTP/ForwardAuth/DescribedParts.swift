import Bytes

/// Method, target, host and scheme of a described request, as ranges of the question's head.
struct DescribedParts {
    let method: ByteRange
    let target: ByteRange
    let host: ByteRange
    let isSecure: Bool

    /// From fields. Method and target must be of one family: a proxy that sets one family forwards fields of the other as
    /// the client sent them.
    init(_ fields: DescriptionFields, _ head: RequestHead, _ bytes: Span<UInt8>) throws(DescriptionError) {
        guard !fields.hasForwardedFamily || !fields.hasOriginalFamily,
            fields.originalTarget == nil || fields.originalURL == nil
        else { throw .contradictory }
        guard let method = fields.forwardedMethod ?? fields.originalMethod else { throw .missingMethod }
        var url: AbsoluteURL?
        if let range = fields.originalURL { url = try AbsoluteURL(range, bytes) }
        guard let target = fields.forwardedTarget ?? fields.originalTarget ?? url?.target else {
            throw .missingTarget
        }
        self.method = method
        self.target = target
        host = try DescribedParts.host(fields.forwardedHost, url?.host, or: head.authority, bytes)
        isSecure = try DescribedParts.isSecure(fields.forwardedScheme, url?.isSecure, bytes)
        try check(bytes)
    }

    /// From the question's own method and target.
    /// - Parameter prefix: length of the part of the path that precedes the described target.
    init(
        _ fields: DescriptionFields, _ head: RequestHead, _ bytes: Span<UInt8>, prefix: Int
    ) throws(DescriptionError) {
        guard !fields.hasForwardedFamily, !fields.hasOriginalFamily else { throw .contradictory }
        method = head.methodText
        target = ByteRange((Int(head.path.start) + prefix)..<(head.query?.end ?? head.path.end))
        host = try DescribedParts.host(fields.forwardedHost, head.authority, or: .empty, bytes)
        isSecure = try DescribedParts.isSecure(fields.forwardedScheme, nil, bytes)
        try check(bytes)
    }

    private func check(_ bytes: Span<UInt8>) throws(DescriptionError) {
        guard FieldSyntax.isToken(bytes.slice(method)) else { throw .malformedMethod }
        let target = bytes.slice(target)
        guard !target.isEmpty, target[0] == ASCII.slash else { throw .malformedTarget }
        for i in target.indices where !FieldSyntax.isTarget(target[i]) { throw .malformedTarget }
        guard Authority.isValid(bytes.slice(host)) else { throw .malformedHost }
    }

    /// - Parameter known: the host from elsewhere, which `X-Forwarded-Host` must not contradict.
    private static func host(
        _ forwarded: ByteRange?, _ known: ByteRange?, or standard: ByteRange, _ bytes: Span<UInt8>
    ) throws(DescriptionError) -> ByteRange {
        if let forwarded, let known, !bytesEqualIgnoringCase(bytes.slice(forwarded), bytes.slice(known)) {
            throw .contradictory
        }
        let host = forwarded ?? known ?? standard
        guard !host.isEmpty else { throw .missingHost }
        return host
    }

    /// - Parameter known: the scheme from elsewhere, which `X-Forwarded-Proto` must not contradict.
    private static func isSecure(
        _ field: ByteRange?, _ known: Bool?, _ bytes: Span<UInt8>
    ) throws(DescriptionError) -> Bool {
        guard let field else {
            guard let known else { throw .missingScheme }
            return known
        }
        let scheme = bytes.slice(field)
        let isSecure = matches(scheme, "https") || matches(scheme, "wss")
        guard isSecure || matches(scheme, "http") || matches(scheme, "ws") else { throw .malformedScheme }
        guard known == nil || known == isSecure else { throw .contradictory }
        return isSecure
    }

    /// The parts of `X-Original-URL`: `http://` or `https://`, host, path and query.
    private struct AbsoluteURL {
        let isSecure: Bool
        let host: ByteRange
        let target: ByteRange

        init(_ range: ByteRange, _ bytes: Span<UInt8>) throws(DescriptionError) {
            let text = bytes.slice(range)
            isSecure = text.count > 8 && matches(text.extracting(first: 8), "https://")
            guard isSecure || text.count > 7 && matches(text.extracting(first: 7), "http://") else {
                throw .malformedTarget
            }
            let start = Int(range.start) + (isSecure ? 8 : 7)
            var end = start
            while end < range.end, bytes[end] != ASCII.slash { end += 1 }
            host = ByteRange(start..<end)
            target = ByteRange(end..<range.end)
        }
    }
}
