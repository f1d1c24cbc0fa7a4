import Bytes
import Configuration
import Crypto
import Declaration
import Gateway

/// Reads a configuration directory and changes one section at a time: under a lock, validated as a whole before anything
/// is written, and written atomically.
struct ConfigurationChange: Sendable {
    let directory: String
    /// Whether a change takes effect at once, so that the configuration must be usable afterwards.
    let isServed: Bool
    /// Files that the active configuration was read from. A missing one is an error, so that a change does not create a
    /// section with only the added entry.
    var formerFiles: @Sendable () -> Set<String> = { [] }

    /// Reads the whole configuration.
    func read() throws(AdminFailure) -> Assembly.Reading {
        let examination = examine()
        guard let reading = examination.reading else { throw .alreadyInvalid(examination.errors) }
        return reading
    }

    /// The values of a configuration that may have errors, but not in this section.
    func values(withValid section: String) throws(AdminFailure) -> GatewayConfiguration {
        let examination = examine()
        let isValid = examination.errors.allSatisfy {
            !$0.pointer.isEmpty && !($0.pointer + "/").hasPrefix("/\(section)/")
        }
        guard let values = examination.loaded.draft, isValid else { throw .alreadyInvalid(examination.errors) }
        return values
    }

    /// The text of a section, if it exists.
    func text(of section: String, _ loaded: LoadedConfiguration) throws(AdminFailure) -> SectionText? {
        guard let file = loaded.file(ofSection: section) else { return nil }
        guard let bytes = try ConfigurationFile(file, in: directory).read() else { return nil }
        return try ConfigurationChange.section(section, in: file, bytes)
    }

    /// The configuration after a change.
    struct Outcome<Value> {
        /// The result of the edit.
        let value: Value
        let loaded: LoadedConfiguration
        let configuration: GatewayConfiguration
        /// Nil if other errors are left.
        let snapshot: GatewaySnapshot?
    }

    /// Changes a section; a missing one is created. A change that would add an error is refused. In an invalid
    /// configuration, a change that removes an error is accepted.
    ///
    /// - Parameters:
    ///   - condition: `If-Match` with entity tags of `tag(of:)`; nil for none.
    ///   - edit: changes the text of the section. An unchanged text is not written.
    func change<Value>(
        _ section: String, condition: String?,
        _ edit: (inout SectionText, GatewayConfiguration) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> Outcome<Value> {
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let edited = try edited(section, condition: condition, edit)
        let after = edited.unchanged ?? examine(edited.draft)
        if edited.unchanged == nil { try accept(after, insteadOf: edited.before, changed: section) }
        // Before anything is written, since the outcome needs the configuration.
        guard let configuration = after.loaded.draft else { throw .alreadyInvalid(after.errors) }
        if edited.unchanged == nil {
            let file = try ConfigurationFile(edited.draft.file, in: directory)
            // An editor ignores the lock.
            guard try file.read() ?? ConfigurationChange.newText(of: section) == edited.old else {
                throw .changedMeanwhile
            }
            try file.replace(with: edited.draft.text)
        }
        return Outcome(
            value: edited.value, loaded: after.loaded, configuration: configuration, snapshot: after.reading?.snapshot)
    }

    /// The errors that a change would add. Nothing is written.
    func errors(
        ofChanging section: String, _ edit: (inout SectionText, GatewayConfiguration) -> Void
    ) throws(AdminFailure) -> [Diagnostic] {
        let edited = try edited(section, condition: nil) { text, configuration throws(AdminFailure) in
            edit(&text, configuration)
        }
        let after = edited.unchanged ?? examine(edited.draft)
        return ErrorCounts(edited.before.errors).missing(from: after.errors)
    }

    /// A section after an edit. Keeps only a summary of the configuration before it, since two configurations with many
    /// users would need twice the memory.
    private struct Edited<Value> {
        let value: Value
        let draft: ConfigurationDraft
        /// The text of the file before.
        let old: [UInt8]
        let before: Standing
        /// The examination before the edit, if the edit has changed nothing.
        let unchanged: Assembly.Examination?
    }

    /// The validity of a configuration.
    private struct Standing {
        let errors: [Diagnostic]
        /// Whether values are unreadable.
        let isMalformed: Bool
        let isServable: Bool

        init(_ examination: Assembly.Examination) {
            errors = examination.errors
            isMalformed = examination.loaded.hasErrors
            isServable = examination.reading != nil
        }
    }

    private func edited<Value>(
        _ section: String, condition: String?,
        _ edit: (inout SectionText, GatewayConfiguration) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> Edited<Value> {
        let before = examine()
        // An edit addresses entries by position, so that all of them must be readable.
        guard let configuration = before.loaded.draft, before.reading != nil || before.loaded.isWhole(section) else {
            throw .alreadyInvalid(before.errors)
        }
        let name = before.loaded.file(ofSection: section) ?? section + ".json"
        let old = try ConfigurationFile(name, in: directory).read() ?? ConfigurationChange.newText(of: section)
        var text = try ConfigurationChange.section(section, in: name, old)
        if let condition, !ConfigurationChange.matches(condition, text) { throw .changedMeanwhile }
        let value = try edit(&text, configuration)
        if let place = text.replacedVariable {
            throw .conflict("\(name) has a variable of the environment at \"\(place)\"; change it in the file")
        }
        return Edited(
            value: value, draft: ConfigurationDraft(file: name, text: text.bytes), old: old, before: Standing(before),
            unchanged: text.bytes == old ? before : nil)
    }

    /// - Parameter draft: the new text of a file, if any.
    private func examine(_ draft: ConfigurationDraft? = nil) -> Assembly.Examination {
        // What takes rights away must be possible, even against expectations.
        Assembly.examine(directory, draft: draft, formerFiles: formerFiles(), checksExpectations: false)
    }

    private func accept(
        _ after: Assembly.Examination, insteadOf before: Standing, changed section: String
    ) throws(AdminFailure) {
        var added = ErrorCounts(before.errors).missing(from: after.errors)
        if before.isMalformed, !after.loaded.hasErrors {
            // Errors in unchanged sections are not new: malformed values had prevented their check.
            added.removeAll { !($0.pointer + "/").hasPrefix("/\(section)/") }
        }
        guard added.isEmpty, !before.isServable || after.reading != nil else {
            throw .invalid(
                "with this change the configuration would not be valid", added.isEmpty ? after.errors : added)
        }
        if before.isServable { return }
        guard !ErrorCounts(after.errors).missing(from: before.errors).isEmpty else {
            throw .alreadyInvalid(before.errors)
        }
        if isServed, after.reading == nil { throw .alreadyInvalid(after.errors) }
    }

    /// The text of a new section.
    private static func newText(of section: String) -> [UInt8] { Array((section == "policies" ? "{}\n" : "[]\n").utf8) }

    private static func section(
        _ section: String, in file: String, _ bytes: [UInt8]
    ) throws(AdminFailure) -> SectionText {
        do throws(JSONError) {
            return try SectionText(file: file, bytes: bytes, section: section)
        } catch {
            throw .cannotWrite("\(file) is not JSON")
        }
    }

    // MARK: Entity tags (RFC 9110 section 8.8.3)

    /// The entity tag of a section.
    static func tag(of text: SectionText?) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(text?.section ?? []).span)
        return "\"" + String(decoding: Base64.encode(digest.span, .url).prefix(22), as: UTF8.self) + "\""
    }

    private static func matches(_ condition: String, _ text: SectionText) -> Bool {
        let tags = condition.split(separator: ",").map { $0.trimmingBlanks }
        return tags.contains("*") || tags.contains(tag(of: text))
    }
}

/// Counts errors by place and message. Positions in lists are ignored, since a removal shifts them.
private struct ErrorCounts {
    private struct Key: Hashable {
        let place: String
        let message: String

        init(_ error: Diagnostic) {
            let steps = error.pointer.split(separator: "/", omittingEmptySubsequences: false)
            place = steps.map { Int($0) == nil ? String($0) : "*" }.joined(separator: "/")
            message = error.message
        }
    }

    private var counts: [Key: Int] = [:]

    init(_ errors: [Diagnostic]) {
        for error in errors { counts[Key(error), default: 0] += 1 }
    }

    /// The errors that are not among these.
    func missing(from errors: [Diagnostic]) -> [Diagnostic] {
        var left = counts
        return errors.filter { error in
            let count = left[Key(error), default: 0]
            left[Key(error)] = count - 1
            return count <= 0
        }
    }
}
