import Bytes
import Identity
import Model

private let carriageReturn = UInt8(ascii: "\r")
private let lineFeed = UInt8(ascii: "\n")

/// Removes from the answers of an MCP server what lists must not show to a caller.
package struct MessageFilter {
    /// How the answer is written.
    package enum Form: Sendable {
        /// One JSON text.
        case document
        /// A stream of events (HTML Living Standard, section 9.2), each with one message.
        case events
    }

    /// Why an answer is not passed on.
    package enum Failure: Error { case tooLarge, noMessage }

    /// Largest document or event, in bytes.
    package static let largest = 4 << 20

    /// The members of results that are lists, with the name of what an element is about.
    private static let lists: [(member: String, kind: MCPRules.Kind, name: String)] = [
        ("tools", .tool, "name"), ("prompts", .prompt, "name"), ("resources", .resource, "uri"),
        ("resourceTemplates", .resource, "uriTemplate"),
    ]

    package let form: Form
    private let rules: MessageRules
    private let kinds: [MCPRules.Kind]
    private let principal: Principal?
    private let path: [UInt8]
    /// What has come of the document or event.
    private var pending: [UInt8] = []
    /// Where its next line begins.
    private var lineStart = 0

    /// Nil for answers without lists.
    ///
    /// - Parameters:
    ///   - message: of the client; nil for a stream of events, in which answers of earlier requests may be repeated.
    ///   - path: the canonical path of the request.
    package init?(
        _ rules: MessageRules, to message: MCPMessage?, for principal: Principal?, path: Span<UInt8>, form: Form
    ) {
        guard let kinds = MessageFilter.kinds(in: message) else { return nil }
        (self.rules, self.kinds, self.principal, self.form) = (rules, kinds, principal, form)
        self.path = [UInt8](copying: path)
    }

    /// What the answer to a message lists; nil for nothing.
    package static func kinds(in message: MCPMessage?) -> [MCPRules.Kind]? {
        guard let message else { return MCPRules.Kind.allCases }
        switch message.method.lowercased() {
        case "tools/list": return [.tool]
        case "prompts/list": return [.prompt]
        case "resources/list", "resources/templates/list": return [.resource]
        default: return nil
        }
    }

    /// Takes bytes of the answer. Returns those that can be passed on.
    package mutating func take(_ bytes: Span<UInt8>) throws(Failure) -> [UInt8] {
        pending.append(copying: bytes)
        var output: [UInt8] = []
        if form == .events {
            while let end = nextEvent() {
                output += try filtered(event: pending[..<end])
                pending.removeFirst(end)
                lineStart = 0
            }
        }
        guard pending.count <= MessageFilter.largest else { throw .tooLarge }
        return output
    }

    /// The answer is complete. Returns the rest of it.
    package mutating func end() throws(Failure) -> [UInt8] {
        defer { pending = [] }
        guard form == .document else { return try filtered(event: pending[...]) }
        return try filtered(document: pending) ?? pending
    }

    /// Where the first event ends, with its empty line; nil if more of it is to come.
    private mutating func nextEvent() -> Int? {
        while let end = pending[lineStart...].firstIndex(where: { $0 == carriageReturn || $0 == lineFeed }) {
            var next = end + 1
            if pending[end] == carriageReturn {
                // It may be the first half of a line end.
                guard next < pending.count else { return nil }
                if pending[next] == lineFeed { next += 1 }
            }
            let isEmpty = end == lineStart
            lineStart = next
            if isEmpty { return next }
        }
        return nil
    }

    /// The mark that may begin a stream, which clients leave out.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private func filtered(event: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        let mark = MessageFilter.byteOrderMark
        let event = event.starts(with: mark) ? event.dropFirst(mark.count) : event
        var (data, others, isMessage): ([UInt8], [UInt8], Bool) = ([], [], true)
        for line in event.split(whereSeparator: { $0 == carriageReturn || $0 == lineFeed }) {
            if let value = MessageFilter.value(of: "data", line) {
                data += (data.isEmpty ? [] : [lineFeed]) + value
                continue
            }
            if let name = MessageFilter.value(of: "event", line) {
                isMessage = name.isEmpty || name.elementsEqual("message".utf8)
            }
            others += line + [lineFeed]
        }
        // The first event of a stream may have an id alone.
        guard isMessage, !data.isEmpty, let text = try filtered(document: data) else { return Array(event) }
        return others + Array("data: ".utf8) + text + [lineFeed, lineFeed]
    }

    /// The value of a line with this field, without the blank before it.
    private static func value(of field: String, _ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.starts(with: field.utf8) else { return nil }
        let rest = line.dropFirst(field.utf8.count)
        guard rest.first == ASCII.colon else { return rest.isEmpty ? rest : nil }
        return rest.dropFirst(rest.dropFirst().first == ASCII.space ? 2 : 1)
    }

    /// The text without what the caller must not see; nil if that is all of it.
    private func filtered(document: [UInt8]) throws(Failure) -> [UInt8]? {
        guard var node = try? JSONNode.parse(document.span) else { throw .noMessage }
        var isChanged = false
        if case .array(var messages) = node.value {
            for i in messages.indices { isChanged = filter(&messages[i]) || isChanged }
            node.value = .array(messages)
        } else {
            isChanged = filter(&node)
        }
        return isChanged ? node.serialized : nil
    }

    /// Returns whether an element of a list was removed.
    private func filter(_ message: inout JSONNode) -> Bool {
        guard case .object(var members) = message.value,
            let place = members.firstIndex(where: { $0.name.isExactly("result") }),
            case .object(var result) = members[place].node.value
        else { return false }
        var isChanged = false
        for i in result.indices {
            guard let list = MessageFilter.lists.first(where: { $0.member.isExactly(result[i].name) }),
                kinds.contains(list.kind), let elements = result[i].node.array
            else { continue }
            let kept = elements.filter { element in
                guard let name = element[list.name]?.string else { return false }
                return rules.lists(MCPMessage.Subject(kind: list.kind, name: name), to: principal, path: path.span)
            }
            if kept.count == elements.count { continue }
            isChanged = true
            result[i].node.value = .array(kept)
        }
        members[place].node.value = .object(result)
        message.value = .object(members)
        return isChanged
    }
}
