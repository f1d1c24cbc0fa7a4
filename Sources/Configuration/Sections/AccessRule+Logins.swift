import Bytes
import Declaration
import Model

/// Levels of logins (`acr`) and their age (RFC 9470).
extension AccessRule {
    private static var form: Form { .pattern("^[!#-\\[\\]-~]+$") }

    /// One level or several. They stand in a challenge with blanks between them.
    static let levels = Shape<[String]>(
        .either([form, .list(form, minimum: 1)]), write: { .texts($0) },
        read: { field in
            guard field.node.array != nil else { return level(field).map { [$0] } }
            let names = field.names("an array of levels", level)
            if field.node.array?.isEmpty == true {
                field.error("the list is empty", expected: "at least one level, or no \"acr\"")
            }
            return names
        })

    /// Levels by authentication method.
    static let levelsByMethod = Shape<[String: String]>(
        .map(form, names: "^.+$"), write: { $0.isEmpty ? .object([]) : nil },
        read: { field in
            let entries = field.object("an object of levels (`acr`) by value of `amr`").entries
            return Dictionary(
                entries.compactMap { name, place in level(place).map { (name, $0) } },
                uniquingKeysWith: { first, _ in first })
        })

    private static func level(_ field: Field) -> String? {
        guard let name = field.name() else { return nil }
        guard name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != ASCII.quote && $0 != ASCII.backslash }) else {
            return field.error(
                "invalid level", expected: "visible ASCII without blank, quote and backslash", found: field.summary)
        }
        return name
    }

    /// The seconds of a duration that is at least one.
    static func seconds(_ member: ObjectReader.Member<Duration>?) -> Int64? {
        guard let member, let duration = member.read() else { return nil }
        guard duration >= .seconds(1) else {
            return member.field.error(
                "out of range", expected: "a duration from \"1s\"", found: member.field.summary)
        }
        return duration.components.seconds
    }
}
