/// A field of a message as it stood on the wire, without the white space around its value.
struct Field: Sendable, Equatable {
    var name: String
    var value: String
}

/// The start line and fields of a message, in order and with duplicates, and the bytes they were read from.
struct MessageHead: Sendable {
    let raw: String
    let startLine: String
    let fields: [Field]

    /// `raw` is everything up to and including the empty line. It is read leniently: tests look at what was sent.
    init(raw: String) {
        self.raw = raw
        let lines = raw.split(separator: "\r\n", omittingEmptySubsequences: false)
        startLine = String(lines[0])
        fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst()
            return Field(name: String(line[..<colon]), value: value.trimming { $0 == " " || $0 == "\t" })
        }
    }

    /// The values of all fields of this name, in any case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The value if there is exactly one field of this name.
    func only(_ name: String) -> String? {
        let found = values(name)
        return found.count == 1 ? found[0] : nil
    }

    /// The parts of the start line between its first two blanks.
    var startWords: [String] { startLine.split(separator: " ", maxSplits: 2).map(String.init) }
}

extension Substring {
    /// The text without the characters at both ends that fulfil the condition.
    func trimming(_ condition: (Character) -> Bool) -> String {
        var rest = drop(while: condition)
        while let last = rest.last, condition(last) { rest.removeLast() }
        return String(rest)
    }
}

/// How the end of a body is known.
enum BodyEnd: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
    case connectionClose
}

/// A response, complete.
struct Response: Sendable {
    let head: MessageHead
    let body: [UInt8]
    /// Fields after the last chunk.
    let trailers: [Field]

    var status: Int { head.startWords.count > 1 ? Int(head.startWords[1]) ?? 0 : 0 }
    var reason: String { head.startWords.count > 2 ? head.startWords[2] : "" }
    var text: String { String(decoding: body, as: UTF8.self) }

    func values(_ name: String) -> [String] { head.values(name) }
    func only(_ name: String) -> String? { head.only(name) }
}
