import Model
import Reactor
import Synchronization

/// What a review of rules does without: secrets and files that a configuration names and that are not on this machine, as in
/// continuous integration. A placeholder stands for each, and each is noted.
///
/// A gateway has none: for it, an absent secret is an error.
package final class Absences: Sendable {
    private struct State {
        /// Absent references in their order, with the places that name them.
        var found: [(reference: String, pointers: [String])] = []
        /// Variables that are not set, by the place of their text, until a secret is read there.
        var unset: [(pointer: String, message: String, expected: String)] = []
    }

    private let state = Mutex(State())
    /// References that count as absent even where they lead somewhere.
    private let assumed: Set<String>

    package init(assumed: Set<String> = []) { self.assumed = assumed }

    // MARK: Results

    /// The absent references, such as `env:NAME` and `file:PATH`.
    package var references: Set<String> { Set(state.withLock { $0.found.map(\.reference) }) }

    /// For people: each reference with the first places that name it.
    package var texts: [String] {
        state.withLock { state in
            state.found.map { reference, pointers in
                let more = pointers.count > 3 ? " and \(pointers.count - 3) more" : ""
                return "\(reference) (\(pointers.prefix(3).joined(separator: ", "))\(more))"
            }
        }
    }

    /// Texts with variables that are not set, in which no secret was read. These are errors.
    package var unset: [(pointer: String, message: String, expected: String)] { state.withLock { $0.unset } }

    // MARK: Reading

    /// Notes a reference that is absent.
    package func notes(_ reference: String, at pointer: String, unless isThere: Bool) -> Bool {
        if isThere, !assumed.contains(reference) { return false }
        state.withLock { state in
            guard let place = state.found.firstIndex(where: { $0.reference == reference }) else {
                return state.found.append((reference, [pointer]))
            }
            if !state.found[place].pointers.contains(pointer) { state.found[place].pointers.append(pointer) }
        }
        return true
    }

    /// The same for a file.
    /// - Parameter directory: that of the configuration.
    package func notes(file path: String, in directory: String, at pointer: String) -> Bool {
        notes(Absences.reference(to: path, in: directory), at: pointer, unless: FileSystem.exists(path))
    }

    package static func reference(to path: String, in directory: String) -> String {
        SecretReference.file.rawValue
            + (path.hasPrefix("\(directory)/") ? path.dropFirst(directory.utf8.count + 1) : path[...])
    }

    /// Keeps variables that are not set until it is known whether they stand for secrets.
    package func keep(_ unset: [(pointer: String, message: String, expected: String)]) {
        state.withLock { $0.unset += unset }
    }

    /// Whether the variable of a secret is not set; asked where a secret is read.
    package func takeUnset(_ pointer: String) -> Bool {
        state.withLock { state in
            let count = state.unset.count
            state.unset.removeAll { $0.pointer == pointer }
            return state.unset.count < count
        }
    }

    // MARK: Placeholders

    /// In the place of an absent secret: another one for each reference, as long as any key must be, and at once ASCII without
    /// blanks, Base32 and Base64.
    func secret(_ reference: String) -> Secret {
        let number = state.withLock { $0.found.firstIndex { $0.reference == reference } ?? 0 }
        let digits = String(number, radix: 2).replacing("0", with: "A").replacing("1", with: "B")
        let start = "NOTREADHERE"
        let rest = String(repeating: "A", count: 64 - start.utf8.count - digits.utf8.count)
        return Secret(start + rest + digits, from: .absent)
    }

    /// In the place of an absent constant of a field: the same for each reference in all configurations.
    package static func constant(_ reference: String) -> String { "\(mark)\(reference))" }

    /// Whether a text has the placeholder of a constant.
    package static func isMarked(_ text: String) -> Bool { text.contains(mark) }

    private static let mark = "(not-read-here:"
}
