import Declaration

/// What a conversion did with one setting.
package struct ConversionNote: Equatable, Sendable {
    package enum Kind: Sendable, CaseIterable {
        /// A value is missing that only the operator knows.
        case open
        /// The setting has no equivalent, or another meaning. The result is as strict as the original or stricter.
        case attention
        case translated
        /// The setting has no effect in the gateway, and no request is decided differently without it.
        case unneeded

        var title: String {
            switch self {
            case .open: "to fill in"
            case .attention: "needs attention"
            case .translated: "translated"
            case .unneeded: "not needed"
            }
        }
    }

    package var kind: Kind
    /// File and line, such as `oauth2-proxy.cfg:12`; the file alone for a default.
    package var place: String
    /// Name of the setting, or of the rule and its part.
    package var setting: String
    /// The equivalent; or what is missing, and what to do.
    package var text: String
}

/// The notes of a conversion, in the order of the files.
package struct ConversionReport: Sendable {
    package private(set) var notes: [ConversionNote] = []
    /// What remains to do after every conversion, such as a registration at the provider.
    package private(set) var steps: [String] = []

    package init() {}

    mutating func add(_ kind: ConversionNote.Kind, _ place: String, _ setting: String, _ text: String) {
        let note = ConversionNote(
            kind: kind, place: Diagnostic.printable(place), setting: Diagnostic.printable(setting),
            text: ConversionText.shown(text))
        if !notes.contains(note) { notes.append(note) }
    }

    mutating func step(_ text: String) {
        if !steps.contains(text) { steps.append(text) }
    }

    /// Whether something was not translated exactly, or has to be filled in.
    package var needsAttention: Bool { notes.contains { $0.kind == .open || $0.kind == .attention } }

    /// A list for each kind of note, without those that have none.
    package var text: String {
        var lists = ConversionNote.Kind.allCases.compactMap { kind -> String? in
            let lines = notes.filter { $0.kind == kind }.map { "  \($0.place): \($0.setting): \($0.text)" }
            return lines.isEmpty ? nil : (["\(kind.title):"] + lines).joined(separator: "\n")
        }
        if !steps.isEmpty { lists.append((["next:"] + steps.map { "  " + $0 }).joined(separator: "\n")) }
        return lists.joined(separator: "\n\n") + "\n"
    }
}
