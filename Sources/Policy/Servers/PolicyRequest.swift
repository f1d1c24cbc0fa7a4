import Bytes
import HTTP
import Model

/// What policy servers may learn of a request: never a credential, and of the header fields only those that one of the
/// servers lists.
package struct PolicyRequest: Sendable {
    package typealias Pair = (name: String, value: String)

    let method: String
    /// The canonical path, which is matched and forwarded.
    let path: String
    let variables: [Pair]
    let host: String
    let isSecure: Bool
    /// Decoded, in their order, without tokens.
    let query: [Pair]
    /// The same as written, with `?`; empty for none.
    let queryText: String
    /// In the order of the listed names, which are in lower case; one entry for each field.
    let headers: [Pair]
    /// The names of the fields that were looked for, in lower case.
    private let names: Set<String>
    let address: IPAddress?
    /// As in the log; empty for none.
    package var requestID = ""
    /// In seconds since 1970. Kept answers do not depend on it.
    package var time: Int64?

    /// - Parameters:
    ///   - names: of the fields in the input of any of the servers.
    ///   - path: canonical.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - address: of the client.
    /// - Throws: why no server can be asked: the input would not be what the upstream gets.
    package init(
        _ route: Route, telling names: [String], path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable, isSecure: Bool, address: IPAddress?
    ) throws(Reason) {
        method = head.method.name.map { "\($0)" } ?? String(copying: bytes.slice(head.methodText))
        let pattern = route.pattern
        var variables: [Pair] = []
        for name in pattern.variableNames {
            if let value = pattern.value(of: name, in: path) { variables.append((name, try PolicyRequest.text(value))) }
        }
        self.variables = variables
        self.path = String(copying: path)
        host = String(copying: bytes.slice(head.authority))
        self.isSecure = isSecure
        self.address = address
        let chunk = Chunk(capacity: 64)
        if let query = head.query {
            chunk.ensureFree(Int(query.count) + 1)
            QueryText.append(
                query, without: (route.tokenSources?.parameters ?? []) + PolicyRequest.tokenParameters, bytes, to: chunk
            )
        }
        let text = [UInt8](copying: chunk.readable)
        queryText = String(decoding: text, as: UTF8.self)
        query = try PolicyRequest.pairs(text)
        self.names = Set(names.map { $0.lowercased() })
        var fields: [Pair] = []
        for name in self.names.sorted() { fields += try PolicyRequest.fields(name, route, bytes, headers) }
        self.headers = fields
    }

    /// A request of which no more is left than this.
    package init(
        _ route: Route, method: Method, path: Span<UInt8>, host: Span<UInt8>, isSecure: Bool, address: IPAddress?
    ) {
        self.method = method.name.map { "\($0)" } ?? "extension"
        self.path = String(copying: path)
        var variables: [Pair] = []
        for name in route.pattern.variableNames {
            if let value = route.pattern.value(of: name, in: path) {
                variables.append((name, String(decoding: value, as: UTF8.self)))
            }
        }
        self.variables = variables
        self.host = String(copying: host)
        self.isSecure = isSecure
        self.address = address
        (query, queryText, headers, names) = ([], "", [], [])
    }

    /// Whether the values of these fields are known.
    package func has(_ fields: [String]) -> Bool { fields.allSatisfy { names.contains($0.lowercased()) } }

    /// Parameters in which clients send tokens (RFC 6750 section 2.3), whether the route reads them or not.
    private static let tokenParameters = [Array("access_token".utf8)]

    /// The fields of a name as the upstream gets them. A field that an upstream may take for one of them is an attempt to
    /// have another request decided than the forwarded one.
    private static func fields(
        _ name: String, _ route: Route, _ bytes: Span<UInt8>, _ headers: HeaderTable
    ) throws(Reason) -> [Pair] {
        let (text, skeleton) = (Array(name.utf8), FieldSkeleton.of(name))
        let options = ConnectionOptions(headers, bytes)
        var fields: [Pair] = []
        for i in 0..<headers.count where FieldSkeleton.matches(bytes.slice(headers[i].name), skeleton) {
            let field = headers[i]
            guard bytesEqualIgnoringCase(bytes.slice(field.name), text.span) else { throw .policyInputInvalid }
            if HopByHop.drops(field, options, headers, bytes) { continue }
            if route.requestFields?.drops(field, bytes) == true { continue }
            if route.tokenSources?.isSource(field, bytes) == true { continue }
            fields.append((name, try PolicyRequest.text([UInt8](copying: bytes.slice(field.value)))))
        }
        return fields
    }

    /// The parameters of a query that begins with `?`.
    private static func pairs(_ query: [UInt8]) throws(Reason) -> [Pair] {
        var pairs: [Pair] = []
        for pair in query.dropFirst().split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            pairs.append((try decoded(parts[0]), try parts.count > 1 ? decoded(parts[1]) : ""))
        }
        return pairs
    }

    private static func decoded(_ encoded: ArraySlice<UInt8>) throws(Reason) -> String {
        let encoded = Array(encoded)
        var bytes: [UInt8] = []
        var position = 0
        while position < encoded.count {
            if encoded[position] == UInt8(ascii: "+") {
                bytes.append(ASCII.space)
            } else if let byte = ASCII.percentDecoded(encoded.span, at: position) {
                bytes.append(byte)
                position += 2
            } else {
                bytes.append(encoded[position])
            }
            position += 1
        }
        return try text(bytes)
    }

    /// A replaced byte would make two requests one, of which only one was decided.
    private static func text(_ bytes: [UInt8]) throws(Reason) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .policyInputInvalid }
        return text
    }
}
