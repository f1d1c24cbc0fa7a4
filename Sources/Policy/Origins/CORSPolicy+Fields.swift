import Bytes
import HTTP

extension Route {
    /// Appends the CORS lines of the 204 for an allowed preflight. Each line ends in CRLF.
    package func appendPreflightFields(to chunk: Chunk, bytes: Span<UInt8>, headers: HeaderTable) {
        cors.appendPreflightFields(
            to: chunk, methods: crossSiteMethodsText, takesAnyMethod: methods == .any && cors.methods == nil,
            bytes: bytes, headers: headers)
    }
}

extension CORSPolicy {
    /// Appends the lines of a reply of any status: `Vary: Origin`, and for an allowed origin the fields that let the page
    /// read the reply (CORS-06, CORS-07). Each line ends in CRLF.
    ///
    /// The upstream's `Access-Control-*` lines must have been removed; its `Vary` is kept.
    ///
    /// - Parameters:
    ///   - origin: the value of `Origin` for the verdict `allowed`; otherwise empty.
    ///   - policy: that of the route; not looked up without an origin, which is most replies.
    package static func appendFields(
        to chunk: Chunk, origin: Span<UInt8>, status: Int, by policy: @autoclosure () -> CORSPolicy
    ) {
        if origin.isEmpty {
            chunk.ensureFree(16)
            chunk.append("Vary: Origin\r\n")
        } else {
            policy().appendFields(to: chunk, allowed: origin, status: status)
        }
    }

    private func appendFields(to chunk: Chunk, allowed origin: Span<UInt8>, status: Int) {
        let tail = status == 401 ? afterOriginOfChallenge : afterOrigin
        chunk.ensureFree(64 + origin.count + tail.count)
        chunk.append("Vary: Origin\r\nAccess-Control-Allow-Origin: ")
        chunk.append(origin)
        chunk.append(tail.span)
    }

    /// Appends the lines of the 204 for an allowed preflight (CORS-06).
    ///
    /// - Parameters:
    ///   - methods: those of the route or endpoint, separated by commas.
    ///   - takesAnyMethod: whether all extension methods are allowed; as these cannot be listed, the requested one is
    ///     named.
    func appendPreflightFields(
        to chunk: Chunk, methods: [UInt8], takesAnyMethod: Bool, bytes: Span<UInt8>, headers: HeaderTable
    ) {
        let origin = bytes.slice(headers.value(.origin) ?? .empty)
        let method = bytes.slice(headers.value(.accessControlRequestMethod) ?? .empty)
        let (tail, maxAge) = (afterOriginOfPreflight, maxAge)
        chunk.ensureFree(128 + origin.count + tail.count + methods.count + method.count)
        // The answer depends on the request, so caches must not reuse it for another page.
        chunk.append("Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n")
        chunk.append("Access-Control-Allow-Origin: ")
        chunk.append(origin)
        chunk.append(tail.span)
        chunk.append(methods)
        if takesAnyMethod, Method(method) == .extension, isToken(method) {
            chunk.append(", ")
            chunk.append(method)
        }
        chunk.append("\r\n")
        appendAllowedHeaders(to: chunk, bytes: bytes, headers: headers)
        chunk.ensureFree(maxAge.count + 48)
        if allowsPrivateNetwork, CORSPolicy.asksForPrivateNetwork(bytes, headers) {
            chunk.append("Access-Control-Allow-Private-Network: true\r\n")
        }
        chunk.append(maxAge.span)
    }

    /// The requested header fields that are allowed, in the page's spelling.
    private func appendAllowedHeaders(to chunk: Chunk, bytes: Span<UInt8>, headers: HeaderTable) {
        var isFirst = true
        guard headers.occurrences(.accessControlRequestHeaders) > 0 else { return }
        for i in 0..<headers.count where headers[i].token == .accessControlRequestHeaders {
            var list = FieldList(headers[i].value)
            while let element = list.next(bytes) {
                let name = bytes.slice(element)
                guard allows(header: name) else { continue }
                chunk.ensureFree(48 + name.count)
                if isFirst { chunk.append("Access-Control-Allow-Headers: ") } else { chunk.append(", ") }
                isFirst = false
                chunk.append(name)
            }
        }
        chunk.ensureFree(2)
        if !isFirst { chunk.append("\r\n") }
    }

    private static func asksForPrivateNetwork(_ bytes: Span<UInt8>, _ headers: HeaderTable) -> Bool {
        for i in 0..<headers.count {
            if equalIgnoringCase(privateNetwork, bytes.slice(headers[i].name)) { return true }
        }
        return false
    }

    private static let privateNetwork = Array("Access-Control-Request-Private-Network".utf8)

    private func allows(header name: Span<UInt8>) -> Bool {
        for i in allowHeaders.indices where equalIgnoringCase(allowHeaders[i], name) { return true }
        return false
    }

    private func isToken(_ text: Span<UInt8>) -> Bool {
        for i in text.indices where !ASCII.isLetter(text[i]) && text[i] != UInt8(ascii: "-") { return false }
        return !text.isEmpty
    }
}
