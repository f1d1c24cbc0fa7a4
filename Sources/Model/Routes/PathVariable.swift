import Bytes

/// A variable of a path pattern.
struct PathVariable: Sendable {
    let name: String
    /// The number of the segment that it stands for.
    let segment: Int

    /// Nil for a segment that is no variable.
    init?(_ part: some BidirectionalCollection<UInt8>, segment: Int) throws(PathPattern.Problem) {
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        guard part.contains(where: { $0 == open || $0 == close }) else { return nil }
        let name = part.dropFirst().dropLast()
        guard part.first == open, part.last == close, part.count >= 2,
            !name.contains(where: { $0 == open || $0 == close })
        else { throw .partialVariable }
        guard let first = name.first, (97...122).contains(first),
            name.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") })
        else { throw .variableName }
        self.name = String(decoding: name, as: UTF8.self)
        self.segment = segment
    }
}

/// Variables and their values. Matching does not use them; values are read afterwards, where a rule needs them.
extension PathPattern {
    /// In the order of the path.
    package var variableNames: [String] { variables.map(\.name) }

    /// The place of a variable, to be found once; nil where the pattern has no such variable.
    package func place(of name: String) -> Int? { variables.first { $0.name == name }?.segment }

    /// The value of a variable: the percent-decoded segment of a path that matches the pattern.
    ///
    /// Nil for a segment with a parameter (`42;x=1`, in either spelling): upstreams that drop parameters see another
    /// value than those that do not.
    ///
    /// - Parameters:
    ///   - name: of a variable; nil is returned for any other.
    ///   - path: canonical.
    package func value(of name: String, in path: Span<UInt8>) -> [UInt8]? {
        place(of: name).flatMap { PathPattern.value(at: $0, in: path) }
    }

    /// The same for the place of a variable.
    package static func value(at place: Int, in path: Span<UInt8>) -> [UInt8]? {
        var start = 1
        for _ in 0..<place {
            while start < path.count, path[start] != ASCII.slash { start += 1 }
            start += 1
        }
        var value: [UInt8] = []
        var position = start
        while position < path.count, path[position] != ASCII.slash {
            var byte = path[position]
            if byte == ASCII.percent {
                guard let decoded = ASCII.percentDecoded(path, at: position) else { return nil }
                byte = decoded
                position += 2
            }
            if byte == UInt8(ascii: ";") { return nil }
            value.append(byte)
            position += 1
        }
        return value.isEmpty ? nil : value
    }
}
