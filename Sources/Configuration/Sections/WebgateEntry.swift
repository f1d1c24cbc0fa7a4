import Bytes

/// A group of routes that are challenged alike (CHAL-01).
package struct WebgateEntry: Sendable {
    /// What a client gets whose `User-Agent` is not the configured one (CHAL-04).
    package enum Mismatch: String, Sendable, CaseIterable {
        case bearer
        case redirect
        case oamAuth = "oam-auth"
    }

    package var name: String
    /// Authentication level that its routes ask for, 0 to 10; nil where the scheme says it.
    package var level: Int?
    /// Name of the authentication scheme (SCH-01).
    package var authenticationScheme: String?
    /// Values of `User-Agent`, exact or as prefixes that end in `*` (DEC-07); empty where every client is challenged.
    package var userAgents: [String]
    /// Nil where nothing is said: `redirect` with a form, else `bearer`.
    package var userAgentMismatch: Mismatch?
    package var injection: InjectionEntry?

    static let nameRule = "1 to 64 letters, digits, dots, underscores and hyphens"

    /// CHAL-08: nothing that would need quoting in a challenge.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "._-".utf8.contains($0) }
    }

    static func readAll(_ field: Field) -> [WebgateEntry] {
        var webgates: [WebgateEntry] = []
        for element in field.elements("an array of webgates") ?? [] {
            let webgate = read(element)
            if !webgate.name.isEmpty, webgates.contains(where: { $0.name == webgate.name }) {
                element.error("duplicate webgate \"\(webgate.name)\"", expected: "a unique name")
            }
            webgates.append(webgate)
        }
        return webgates
    }

    private static func read(_ field: Field) -> WebgateEntry {
        var object = field.object("a webgate: {\"name\", \"level\"}")
        let webgate = WebgateEntry(
            name: object.required("name", nameRule, standIn: "") { $0.webgateName() },
            level: object.optional("level") { $0.level() },
            authenticationScheme: object.optional("authenticationScheme") {
                $0.reference(to: .authenticationScheme)
            },
            userAgents: object.value("userDefinedParameters", default: [], userAgents),
            userAgentMismatch: object.optional("userAgentMismatch") { $0.choice(Mismatch.self) },
            injection: object.optional("injection", InjectionEntry.read)
        )
        let names = object.entries.map(\.name)
        if names.contains("level") == names.contains("authenticationScheme"), field.node.members != nil {
            field.error(
                names.contains("level")
                    ? "the level is that of the scheme" : "required member \"level\" is missing",
                expected: "either \"level\" or \"authenticationScheme\"")
        }
        object.finish()
        return webgate
    }

    private static func userAgents(_ field: Field) -> [String]? {
        var object = field.object("an object with \"User-Agent\"")
        let agents = object.optional("User-Agent") { place -> [String]? in
            place.node.array == nil ? place.name("a string or an array of strings").map { [$0] } : place.names()
        }
        object.finish()
        return agents
    }
}

extension Field {
    func level() -> Int? { integer(in: 0...10, "a level") }

    func webgateName() -> String? {
        guard let name = text(WebgateEntry.nameRule) else { return nil }
        guard WebgateEntry.isName(name) else {
            invalid(WebgateEntry.nameRule)
            return nil
        }
        return name
    }
}
