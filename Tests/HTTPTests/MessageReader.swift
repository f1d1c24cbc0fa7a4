import Bytes
import Model

@testable import HTTP

/// What a whole message came to, whichever way its bytes were cut.
enum MessageOutcome: Equatable {
    struct Field: Equatable {
        var name: String
        var value: [UInt8]
        var token: HeaderToken
    }

    struct Message: Equatable {
        var request: RequestHead?
        var response: ResponseHead?
        var fields: [Field] = []
        var body: [UInt8] = []
        var trailers: [Field] = []
        /// Bytes after the message.
        var rest: [UInt8] = []
        /// Whether the body has ended; one that lasts until the connection closes never does.
        var ended = false
    }

    /// The head is not complete.
    case incomplete
    case invalid(HTTPParseError)
    case message(Message)

    var error: HTTPParseError? {
        if case .invalid(let error) = self { error } else { nil }
    }

    var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }

    /// The framing of the head, whichever side it is of.
    var framing: BodyFraming? { message.flatMap { $0.request?.framing ?? $0.response?.framing } }
}

/// Drives the parsers over bytes that come in pieces, as a connection does.
struct MessageReader {
    enum Side {
        case request
        /// The answer to a request with this method.
        case response(to: Method)
    }

    private let side: Side
    private var requests: RequestParser
    private var responses: ResponseParser
    private var chunked = ChunkedDecoder()
    private var length = LengthDecoder(length: 0)
    private let table = HeaderTable()
    private var buffer: [UInt8] = []
    private(set) var outcome = MessageOutcome.incomplete

    init(_ side: Side, limits: HTTPLimits = HTTPLimits()) {
        self.side = side
        requests = RequestParser(limits: limits)
        responses = ResponseParser(limits: limits)
    }

    /// Reads the bytes cut at the offsets given.
    static func read(
        _ bytes: [UInt8], _ side: Side, limits: HTTPLimits = HTTPLimits(), cutAt cuts: [Int] = []
    ) -> MessageOutcome {
        var reader = MessageReader(side, limits: limits)
        var start = 0
        for end in cuts + [bytes.count] {
            reader.feed(bytes[start..<end])
            start = end
        }
        return reader.outcome
    }

    static func readByteByByte(
        _ bytes: [UInt8], _ side: Side, limits: HTTPLimits = HTTPLimits()
    ) -> MessageOutcome {
        read(bytes, side, limits: limits, cutAt: Array(0..<bytes.count))
    }

    mutating func feed(_ piece: ArraySlice<UInt8>) {
        if case .invalid = outcome { return }
        buffer += piece
        if case .incomplete = outcome { readHead() }
        if case .message(var message) = outcome {
            readBody(&message)
        }
    }

    private mutating func readHead() {
        var message = MessageOutcome.Message()
        let headLength: Int
        let received = buffer
        switch side {
        case .request:
            switch requests.parse(received.span, into: table) {
            case .needMore: return
            case .invalid(let error):
                outcome = .invalid(error)
                return
            case .head(let head):
                message.request = head
                headLength = head.length
                if case .length(let count) = head.framing { length = LengthDecoder(length: count) }
            }
        case .response(let method):
            switch responses.parse(received.span, into: table, requestMethod: method) {
            case .needMore: return
            case .invalid(let error):
                outcome = .invalid(error)
                return
            case .head(let head):
                message.response = head
                headLength = head.length
                if case .length(let count) = head.framing { length = LengthDecoder(length: count) }
            }
        }
        message.fields = (0..<table.count).map { field(table[$0]) }
        buffer.removeFirst(headLength)
        outcome = .message(message)
    }

    private func field(_ field: HeaderField) -> MessageOutcome.Field {
        MessageOutcome.Field(
            name: text(field.name, buffer), value: Array(buffer[field.value.range]), token: field.token)
    }

    private mutating func readBody(_ message: inout MessageOutcome.Message) {
        defer { if case .message = outcome { outcome = .message(message) } }
        if !message.ended {
            switch outcome.framing ?? .none {
            case .none: message.ended = true
            case .length:
                let count = length.take(buffer.count)
                message.body += buffer.prefix(count)
                buffer.removeFirst(count)
                message.ended = length.isDone
            case .untilClose:
                message.body += buffer
                buffer = []
            case .chunked: readChunks(&message)
            }
        }
        if message.ended {
            message.rest += buffer
            buffer = []
        }
    }

    private mutating func readChunks(_ message: inout MessageOutcome.Message) {
        while true {
            let received = buffer
            switch chunked.next(received.span) {
            case .needMore(let consumed):
                buffer.removeFirst(consumed)
                return
            case .data(let range, let consumed):
                message.body += buffer[range.range]
                buffer.removeFirst(consumed)
            case .trailer(let trailer, let consumed):
                message.trailers.append(field(trailer))
                buffer.removeFirst(consumed)
            case .end(let consumed):
                buffer.removeFirst(consumed)
                message.ended = true
                return
            case .invalid(let error):
                outcome = .invalid(error)
                return
            }
        }
    }
}
