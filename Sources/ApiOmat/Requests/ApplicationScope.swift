import OAuthServer

/// What a token of an ApiOmat application may be used for (AOM-07).
struct ApplicationScope: Sendable, Equatable {
    /// As it is recorded and told: `read write`, `read`, `write` or `read_only`.
    let text: String

    /// That of manual tokens (AOM-19).
    static let readOnly = ApplicationScope(recorded: "read_only")

    /// - Parameter requested: the parameter's value; nil for none, which asks for everything.
    init(requested: String?) throws(TokenFailure) {
        let names = (requested ?? "read write").utf8.split(separator: 0x20).map { String($0) ?? "" }
        let known = ["read", "write"].filter { name in names.contains { $0.utf8.elementsEqual(name.utf8) } }
        let isReadOnly = !names.isEmpty && names.allSatisfy { $0.utf8.elementsEqual("read_only".utf8) }
        guard isReadOnly || (!known.isEmpty && names.allSatisfy { ["read", "write"].contains($0) }) else {
            throw .invalidScope
        }
        text = isReadOnly ? "read_only" : known.joined(separator: " ")
    }

    init(recorded text: String) { self.text = text }

    /// Whether more than GET, HEAD and OPTIONS may be asked with it (AOM-08).
    var canWrite: Bool { text.utf8.split(separator: 0x20).contains { $0.elementsEqual("write".utf8) } }
}
