import Bytes
import ClientStore
import HTTP
import Model

/// Reads a whole response from a stream.
struct ResponseReader {
    /// Maximum length of a body.
    static let maximumBodyBytes = 64 << 20
    private static let piece = 32_768

    private let isHead: Bool
    private var response = ClientResponse(status: 0)
    private let chunk = Chunk(capacity: ResponseReader.piece)

    init(isHead: Bool) { self.isHead = isHead }

    mutating func read(from stream: ClientStream) throws(ClientError) -> ClientResponse {
        var framing = BodyFraming.none
        // Interim responses are skipped (RFC 9110 section 15.2).
        repeat { framing = try readHead(stream) } while (100...199).contains(response.status)
        switch framing {
        case .none: break
        case .length(let length): try readLength(length, stream)
        case .chunked: try readChunks(stream)
        case .untilClose:
            repeat { try take(chunk.count) } while try more(stream)
        }
        return response
    }

    private mutating func readHead(_ stream: ClientStream) throws(ClientError) -> BodyFraming {
        var parser = ResponseParser(limits: HTTPLimits())
        let table = HeaderTable()
        let chunk = chunk
        while true {
            let bytes = chunk.readable
            switch parser.parse(bytes, into: table, requestMethod: isHead ? .head : .get) {
            case .head(let head):
                response = ClientResponse(status: head.status, reason: String(copying: bytes.slice(head.reason)))
                for i in 0..<table.count {
                    let field = table[i]
                    response.fields.append(
                        .init(
                            String(copying: bytes.slice(field.name)), String(copying: bytes.slice(field.value)))
                    )
                }
                chunk.consume(head.length)
                return head.framing
            case .invalid(let error): throw ResponseReader.malformed("\(error)")
            case .needMore: if try !more(stream) { throw ResponseReader.malformed("it ends within its head") }
            }
        }
    }

    private mutating func readLength(_ length: Int, _ stream: ClientStream) throws(ClientError) {
        guard length <= ResponseReader.maximumBodyBytes else { throw ResponseReader.malformed("it is too long") }
        while response.body.count < length {
            try take(min(chunk.count, length - response.body.count))
            if response.body.count < length, try !more(stream) { throw ResponseReader.malformed("it is cut off") }
        }
    }

    private mutating func readChunks(_ stream: ClientStream) throws(ClientError) {
        var decoder = ChunkedDecoder()
        while true {
            switch decoder.next(chunk.readable) {
            case .data(let range, let consumed):
                chunk.consume(Int(range.start))
                try take(Int(range.count))
                chunk.consume(consumed - range.end)
            case .trailer(_, let consumed): chunk.consume(consumed)
            case .end: return
            case .invalid(let error): throw ResponseReader.malformed("\(error)")
            case .needMore(let consumed):
                chunk.consume(consumed)
                if try !more(stream) { throw ResponseReader.malformed("it is cut off") }
            }
        }
    }

    /// Moves received bytes to the body.
    private mutating func take(_ count: Int) throws(ClientError) {
        guard response.body.count + count <= ResponseReader.maximumBodyBytes else {
            throw ResponseReader.malformed("it is too long")
        }
        let chunk = chunk
        response.body.append(copying: chunk.readable.extracting(0..<count))
        chunk.consume(count)
    }

    private func more(_ stream: ClientStream) throws(ClientError) -> Bool {
        chunk.ensureFree(ResponseReader.piece)
        return try stream.receive(into: chunk) > 0
    }

    private static func malformed(_ why: String) -> ClientError {
        ClientError(.malformedResponse, "the server's answer cannot be used: \(why)")
    }
}
