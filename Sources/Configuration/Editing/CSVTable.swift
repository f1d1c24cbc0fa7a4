import Bytes

/// A table of comma-separated values (RFC 4180): records of quoted and bare fields. CRLF and bare line feeds end a
/// record; a byte order mark in front, as spreadsheets write it, is skipped.
package struct CSVTable: Equatable, Sendable {
    package struct Record: Equatable, Sendable {
        package var fields: [String]
        /// The first line, from 1; a quoted field may contain line breaks.
        package var line: Int
    }

    package struct Problem: Error, Equatable {
        package var line: Int
        package var message: String
    }

    package private(set) var records: [Record] = []

    package init(_ bytes: [UInt8]) throws(Problem) {
        var problems: [Problem] = []
        self.init(bytes, problems: &problems)
        if let problem = problems.first { throw problem }
    }

    /// Parses all records; after a problem it continues with the next line.
    package init(_ bytes: [UInt8], problems: inout [Problem]) {
        var reader = Reader(bytes.withoutByteOrderMark)
        while true {
            do throws(Problem) {
                guard let record = try reader.next() else { return }
                records.append(record)
            } catch {
                problems.append(error)
                reader.skipLine()
            }
        }
    }

    private struct Reader {
        private var rest: ArraySlice<UInt8>
        private var line = 1

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        /// Nil at the end. Empty lines are not records.
        mutating func next() throws(Problem) -> Record? {
            while takeLineEnd() {}
            guard !rest.isEmpty else { return nil }
            let start = line
            var fields: [String] = []
            while true {
                fields.append(try rest.first == ASCII.quote ? quoted() : bare())
                if rest.first == ASCII.comma {
                    rest.removeFirst()
                    continue
                }
                if rest.isEmpty || takeLineEnd() { return Record(fields: fields, line: start) }
                throw Problem(line: line, message: "a comma or the end of the line is expected behind a quoted field")
            }
        }

        mutating func skipLine() {
            rest = rest.drop { $0 != ASCII.lineFeed }
            _ = takeLineEnd()
        }

        private mutating func takeLineEnd() -> Bool {
            if rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) {
                rest.removeFirst(2)
            } else if rest.first == ASCII.lineFeed {
                rest.removeFirst()
            } else {
                return false
            }
            line += 1
            return true
        }

        private mutating func bare() throws(Problem) -> String {
            let field = rest.prefix { $0 != ASCII.comma && $0 != ASCII.lineFeed && $0 != ASCII.carriageReturn }
            rest = rest[field.endIndex...]
            guard !field.contains(ASCII.quote) else {
                throw Problem(line: line, message: "a field with a quote in it must be quoted as a whole")
            }
            if rest.first == ASCII.carriageReturn, !rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) {
                throw Problem(line: line, message: "a carriage return without a line feed")
            }
            return try text(Array(field), line)
        }

        /// A quote within is doubled.
        private mutating func quoted() throws(Problem) -> String {
            let start = line
            var field: [UInt8] = []
            rest.removeFirst()
            while let byte = rest.popFirst() {
                if byte == ASCII.quote {
                    guard rest.first == ASCII.quote else { return try text(field, start) }
                    rest.removeFirst()
                }
                if byte == ASCII.lineFeed { line += 1 }
                field.append(byte)
            }
            throw Problem(line: start, message: "a quoted field has no end")
        }

        private func text(_ field: [UInt8], _ line: Int) throws(Problem) -> String {
            guard let text = String(validating: field, as: UTF8.self) else {
                throw Problem(line: line, message: "the text is not UTF-8")
            }
            return text
        }
    }
}
