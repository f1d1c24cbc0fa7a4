import Bytes
import TestSupport
import Testing

@testable import TokenStorage

extension RESPReader {
    /// What is read from bytes that come in these pieces.
    static func read(_ pieces: [[UInt8]], limits: Limits = Limits()) -> (values: [RESPValue], fault: RESPFault?) {
        var reader = RESPReader(limits: limits)
        var values: [RESPValue] = []
        for piece in pieces {
            reader.append(piece.span)
            do throws(RESPFault) {
                while let value = try reader.next() { values.append(value) }
            } catch {
                return (values, error)
            }
        }
        return (values, nil)
    }

    static func read(_ text: String, limits: Limits = Limits()) -> (values: [RESPValue], fault: RESPFault?) {
        read([Array(text.utf8)], limits: limits)
    }
}

extension RESPValue {
    static func bytes(_ text: String) -> RESPValue { .bytes(Array(text.utf8)) }
    static func status(_ text: String) -> RESPValue { .status(Array(text.utf8)) }
    static func error(_ text: String) -> RESPValue { .error(Array(text.utf8)) }

    /// As a server sends it.
    var encoded: [UInt8] {
        switch self {
        case .status(let text): Array("+".utf8) + text + Array("\r\n".utf8)
        case .error(let text): Array("-".utf8) + text + Array("\r\n".utf8)
        case .integer(let number): Array(":\(number)\r\n".utf8)
        case .bytes(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + Array("\r\n".utf8)
        case .null: Array("$-1\r\n".utf8)
        case .array(let values): Array("*\(values.count)\r\n".utf8) + values.flatMap(\.encoded)
        }
    }

    static func random(_ random: inout SeededRandom, depth: Int = 0) -> RESPValue {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        func line(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 32...126, using: &random) } }
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &random) {
        case 0: return .status(line(Int.random(in: 0...20, using: &random)))
        case 1: return .error(line(Int.random(in: 0...20, using: &random)))
        case 2: return .integer(Int64(bitPattern: random.next()))
        case 3: return .null
        case 4, 5: return .bytes(bytes(Int.random(in: 0...50, using: &random)))
        default:
            return .array((0..<Int.random(in: 0...5, using: &random)).map { _ in .random(&random, depth: depth + 1) })
        }
    }
}

extension [UInt8] {
    /// The same in pieces of random length.
    func cut(_ random: inout SeededRandom, longest: Int = 40) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...longest, using: &random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

@Suite struct RESPReaderTests {
    static let replies: [(String, RESPValue)] = [
        ("+OK\r\n", RESPValue.status("OK")), ("+\r\n", .status("")), ("-ERR no\r\n", .error("ERR no")),
        (":0\r\n", .integer(0)), (":-1\r\n", .integer(-1)), (":+7\r\n", .integer(7)),
        (":9223372036854775807\r\n", .integer(.max)), (":-9223372036854775808\r\n", .integer(.min)),
        ("$0\r\n\r\n", .bytes("")), ("$5\r\na\r\nb\0\r\n", .bytes("a\r\nb\0")), ("$-1\r\n", .null), ("*-1\r\n", .null),
        ("*0\r\n", .array([])),
        ("*2\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n", .array([.integer(1), .array([.bytes("x"), .null])])),
        ("*2\r\n*0\r\n*1\r\n*-1\r\n", .array([.array([]), .array([.null])])),
    ]

    @Test(arguments: RESPReaderTests.replies)
    func repliesAreRead(_ text: String, _ value: RESPValue) {
        let bytes = Array(text.utf8)
        #expect(RESPReader.read([bytes]) == ([value], nil))
        for place in bytes.indices {
            #expect(RESPReader.read([Array(bytes[..<place]), Array(bytes[place...])]) == ([value], nil))
        }
        #expect(RESPReader.read(bytes.map { [$0] }) == ([value], nil))
        // The beginning of a reply is neither a reply nor wrong.
        for count in bytes.indices { #expect(RESPReader.read([Array(bytes[..<count])]) == ([], nil)) }
    }

    static let wrong: [String] = [
        "\r\n", "\n", "OK\r\n", "HTTP/1.1 400 Bad Request\r\n", "+OK\n", "+O\rK\r\n", "+OK\r\r\n", ":\r\n", ":-\r\n",
        ":1a\r\n",
        ": 1\r\n", ":1 \r\n", ":--1\r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n", ":1.0\r\n", "$\r\n",
        "$-2\r\n", "$-1a\r\n", "$+1\r\nx\r\n", "$1\r\nxy\r\n", "$1\r\nx\n\n", "$1\r\nx\r\r",
        "$99999999999999999999\r\n", "*-2\r\n",
        "*+1\r\n", "*x\r\n", "*1\r\n*1\r\n?", "$?\r\n", "%1\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "\u{16}\u{3}\u{1}",
    ]

    @Test(arguments: RESPReaderTests.wrong)
    func whatIsNoReplyIsRefused(_ text: String) {
        let bytes = Array((":1\r\n" + text).utf8)
        #expect(RESPReader.read([bytes]) == ([.integer(1)], .malformed))
        #expect(RESPReader.read(bytes.map { [$0] }) == ([.integer(1)], .malformed))
    }

    @Test func theFaultIsFinal() {
        var reader = RESPReader()
        let wrong = Array("?\r\n".utf8)
        let right = Array(":1\r\n".utf8)
        reader.append(wrong.span)
        #expect(throws: RESPFault.malformed) { try reader.next() }
        reader.append(right.span)
        #expect(throws: RESPFault.malformed) { try reader.next() }
    }

    static let large: [(String, RESPFault)] = [
        ("$101\r\n", RESPFault.tooLarge), ("$9223372036854775807\r\n", .tooLarge), ("*11\r\n", .tooLarge),
        ("*9223372036854775807\r\n", .tooLarge), ("*5\r\n*6\r\n", .tooLarge), ("*1\r\n*1\r\n*1\r\n*1\r\n", .tooDeep),
        ("+" + String(repeating: "x", count: 41), .tooLarge), ("*" + String(repeating: "1", count: 41), .tooLarge),
        ("*3\r\n$40\r\n" + String(repeating: "x", count: 40) + "\r\n$50\r\n", .tooLarge),
    ]

    /// What is announced is refused before it comes.
    @Test(arguments: RESPReaderTests.large)
    func whatIsTooMuchIsRefused(_ text: String, _ fault: RESPFault) {
        var limits = RESPReader.Limits()
        (limits.bytes, limits.line, limits.elements, limits.depth) = (100, 40, 10, 3)
        #expect(RESPReader.read(text, limits: limits) == ([], fault))
        #expect(RESPReader.read(Array(text.utf8).map { [$0] }, limits: limits) == ([], fault))
    }

    /// A limit holds for one reply, not for the connection.
    @Test func limitsAreThoseOfOneReply() {
        var limits = RESPReader.Limits()
        (limits.bytes, limits.line, limits.elements, limits.depth) = (60, 20, 4, 1)
        let one = "*3\r\n$10\r\n0123456789\r\n:1\r\n+OK\r\n"
        let value = RESPValue.array([.bytes("0123456789"), .integer(1), .status("OK")])
        let read = RESPReader.read(String(repeating: one, count: 50), limits: limits)
        #expect(read == (Array(repeating: value, count: 50), nil))
    }

    /// Any values, cut anywhere, come out as they went in.
    @Test(arguments: 0..<200) func anyValuesAreRead(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let values = (0..<10).map { _ in RESPValue.random(&random) }
        let bytes = values.flatMap(\.encoded)
        #expect(RESPReader.read(bytes.cut(&random)) == (values, nil), "seed \(seed)")
    }

    /// Damaged bytes are read or refused, the same way however they are cut, and never more comes out than went in.
    @Test(arguments: 0..<200) func damagedBytesDoNoHarm(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed) &+ 1_000_000)
        var bytes = (0..<5).flatMap { _ in RESPValue.random(&random).encoded }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(Array("\r\n$*+:-0123456789".utf8).randomElement(using: &random) ?? 0, at: place)
            }
            if bytes.isEmpty { return }
        }
        var limits = RESPReader.Limits()
        (limits.bytes, limits.elements) = (1000, 200)
        let whole = RESPReader.read([bytes], limits: limits)
        #expect(RESPReader.read(bytes.cut(&random, longest: 3), limits: limits) == whole, "seed \(seed)")
        #expect(whole.values.reduce(0) { $0 + $1.encoded.count } <= bytes.count + 4 * whole.values.count)
    }

    @Test func commandsAreArraysOfWords() {
        let words = [Array("SET".utf8), [0, 13, 10, 255], []]
        var bytes: [UInt8] = []
        RESPCommand.append(words, to: &bytes)
        #expect(bytes == Array("*3\r\n$3\r\nSET\r\n$4\r\n\0\r\n".utf8) + [255] + Array("\r\n$0\r\n\r\n".utf8))
        #expect(RESPReader.read([bytes]) == ([.array(words.map { .bytes($0) })], nil))
    }

    static let errors: [(RESPValue, String?)] = [
        (RESPValue.error("NOSCRIPT No matching script."), "NOSCRIPT"), (.error("OOM command not allowed"), "OOM"),
        (.error("unknown command 'AUTH', with args 'secret'"), "ERR"), (.error(""), "ERR"), (.status("OK"), nil),
    ]

    @Test(arguments: RESPReaderTests.errors)
    func errorsHaveACode(_ value: RESPValue, _ code: String?) {
        #expect(value.errorCode == code)
    }
}
