extension RawConnection {
    /// The next head; nil if the stream ends before it.
    func readHead() throws -> MessageHead? {
        guard let bytes = try receive(through: "\r\n\r\n") else { return nil }
        return MessageHead(raw: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads a body piece by piece into `sink`; answers the trailer fields.
    @discardableResult
    func readBody(_ end: BodyEnd, into sink: ([UInt8]) -> Void) throws -> [Field] {
        switch end {
        case .none:
            return []
        case .length(var left):
            while left > 0 {
                let piece = try receiveSome(left)
                guard !piece.isEmpty else { throw SocketError.ended("\(left) bytes before the end of the body") }
                left -= piece.count
                sink(piece)
            }
            return []
        case .connectionClose:
            while true {
                let piece = try receiveSome()
                if piece.isEmpty { return [] }
                sink(piece)
            }
        case .chunked:
            return try readChunks(into: sink)
        }
    }

    private func readChunks(into sink: ([UInt8]) -> Void) throws -> [Field] {
        while true {
            guard let line = try receive(through: "\r\n") else { throw SocketError.ended("before a chunk") }
            let text = String(decoding: line.dropLast(2), as: UTF8.self)
            guard let size = Int(text.prefix { $0 != ";" }, radix: 16) else {
                throw SocketError.ended("no chunk size: \(text.debugDescription)")
            }
            if size == 0 { break }
            try readBody(.length(size), into: sink)
            guard try receive(count: 2) == [13, 10] else { throw SocketError.ended("no CRLF after a chunk") }
        }
        var raw = ""
        while let line = try receive(through: "\r\n") {
            let text = String(decoding: line, as: UTF8.self)
            raw += text
            if text == "\r\n" { return MessageHead(raw: "\r\n" + raw).fields }
        }
        throw SocketError.ended("in the trailers")
    }

    /// The next final response to a request with this method. Interim responses are passed over, or handed to `interim`.
    func readResponse(to method: String = "GET", interim: (MessageHead) -> Void = { _ in }) throws -> Response {
        while true {
            guard let head = try readHead() else { throw SocketError.ended("before a response") }
            let status = head.startWords.count > 1 ? Int(head.startWords[1]) ?? 0 : 0
            if (100..<200).contains(status) && status != 101 {
                interim(head)
                continue
            }
            var body: [UInt8] = []
            let trailers = try readBody(Self.bodyEnd(head, status: status, method: method)) { body += $0 }
            return Response(head: head, body: body, trailers: trailers)
        }
    }

    /// Sends a request with a `Host` field and the fields given, and reads the response.
    func exchange(
        _ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil
    ) throws -> Response {
        try send(Self.request(method, target, fields, body: body))
        return try readResponse(to: method)
    }

    /// The text of a request; a body gets a `Content-Length` unless the fields frame it.
    static func request(_ method: String, _ target: String, _ fields: [Field] = [], body: String? = nil) -> String {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        let names = Set(fields.map { $0.name.lowercased() })
        if !names.contains("host") { text += "Host: 127.0.0.1\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if let body, !names.contains("content-length"), !names.contains("transfer-encoding") {
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        return text + "\r\n" + (body ?? "")
    }

    /// One request on a connection of its own.
    static func once(
        port: UInt16, _ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil
    ) throws -> Response {
        try RawConnection(port: port).exchange(method, target, fields, body: body)
    }

    /// RFC 9112 section 6.3, from the response's side.
    private static func bodyEnd(_ head: MessageHead, status: Int, method: String) -> BodyEnd {
        if method == "HEAD" || status == 204 || status == 304 { return .none }
        if head.values("Transfer-Encoding").last?.lowercased().hasSuffix("chunked") == true { return .chunked }
        if let length = head.only("Content-Length").flatMap({ Int($0) }) { return .length(length) }
        return .connectionClose
    }
}

extension Field: ExpressibleByStringLiteral {
    /// `"Name: value"`.
    init(stringLiteral text: String) {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        self.init(name: String(text[..<colon]), value: text[colon...].dropFirst().trimming { $0 == " " })
    }
}
