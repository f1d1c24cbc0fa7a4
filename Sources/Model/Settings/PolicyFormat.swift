/// A form of questions to policy servers and of their answers, as entries name it. `Policy` asks by it.
package protocol PolicyFormat: Sendable {
    /// The value of `format`.
    static var name: String { get }
    /// What it sends and reads, for the reference.
    static var meaning: String { get }
    /// Whether its questions have claims of the caller.
    static var hasClaims: Bool { get }
    /// Whether one question may ask for several decisions.
    static var hasEvaluations: Bool { get }
    /// Request fields that its call has itself, in lower case.
    static var ownFields: [String] { get }
}

extension PolicyFormat {
    package static var hasEvaluations: Bool { false }
}
