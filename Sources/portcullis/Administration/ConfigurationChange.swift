import Bytes
import Configuration
import Crypto
import Foundation
import Gateway

/// A configuration directory that is looked at, and changed one section at a time: under a lock, checked as a whole
/// before anything is written, and written at once or not at all.
struct ConfigurationChange: Sendable {
    let directory: String
    /// Whether a change must leave a configuration that can be served: it comes into force at once.
    let isServed: Bool
    /// Files that the configuration in force was read from. A section whose file has gone missing is not made anew with
    /// what is added to it, and nothing else.
    var formerFiles: @Sendable () -> Set<String> = { [] }

    /// Everything there is now.
    func read() throws(AdminFailure) -> Assembly.Reading {
        let examination = examine()
        guard let reading = examination.reading else { throw .alreadyInvalid(examination.errors) }
        return reading
    }

    /// The text of a section; nil where there is none.
    func text(of section: String, _ loaded: LoadedConfiguration) throws(AdminFailure) -> SectionText? {
        guard let file = loaded.file(ofSection: section) else { return nil }
        guard let bytes = try ConfigurationFile(file, in: directory).read() else { return nil }
        return try ConfigurationChange.section(section, in: file, bytes)
    }

    /// The configuration after a change.
    struct Outcome<Value> {
        /// What the edit has answered.
        let value: Value
        let loaded: LoadedConfiguration
        let configuration: GatewayConfiguration
        /// Nil where other errors are left.
        let snapshot: GatewaySnapshot?
    }

    /// Changes a section, which is made where it is missing. A change that would add an error is refused. Where the
    /// configuration is not valid as it is, a change that removes an error is carried out.
    ///
    /// - Parameters:
    ///   - empty: the text of a new section: `[]` or `{}`.
    ///   - condition: what the caller has seen, see `tag(of:)`; nil changes whatever there is.
    ///   - edit: what to do, by the configuration as it is. Where the text is the same afterwards, nothing is written.
    func change<Value>(
        _ section: String, empty: String, condition: String? = nil,
        _ edit: (inout SectionText, GatewayConfiguration) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> Outcome<Value> {
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let edited = try edited(section, empty: empty, condition: condition, edit)
        let after = edited.unchanged ?? examine(edited.draft)
        if edited.unchanged == nil { try accept(after, insteadOf: edited.before, changed: section) }
        // Before anything is written: what cannot be answered for is no change.
        guard let configuration = after.loaded.draft else { throw .alreadyInvalid(after.errors) }
        if edited.unchanged == nil {
            let file = try ConfigurationFile(edited.draft.file, in: directory)
            // An editor takes no lock.
            guard try file.read() ?? Array((empty + "\n").utf8) == edited.old else { throw .changedMeanwhile }
            try file.replace(with: edited.draft.text)
        }
        return Outcome(
            value: edited.value, loaded: after.loaded, configuration: configuration, snapshot: after.reading?.snapshot)
    }

    /// The errors that a change would add. Nothing is written.
    func errors(
        ofChanging section: String, empty: String, _ edit: (inout SectionText, GatewayConfiguration) -> Void
    ) throws(AdminFailure) -> [Diagnostic] {
        let edited = try edited(section, empty: empty) { text, configuration throws(AdminFailure) in
            edit(&text, configuration)
        }
        let after = edited.unchanged ?? examine(edited.draft)
        return ErrorCounts(edited.before.errors).missing(from: after.errors)
    }

    /// A section after an edit. Of the configuration that was edited only what the changed one is judged by is left: with
    /// very many users both would be in memory at the same time.
    private struct Edited<Value> {
        let value: Value
        let draft: ConfigurationDraft
        /// The text of the file before.
        let old: [UInt8]
        let before: Standing
        /// What there was, where the edit has changed nothing.
        let unchanged: Assembly.Examination?
    }

    /// How good a configuration was.
    private struct Standing {
        let errors: [Diagnostic]
        /// Whether values could not be read.
        let isMalformed: Bool
        let isServable: Bool

        init(_ examination: Assembly.Examination) {
            errors = examination.errors
            isMalformed = examination.loaded.hasErrors
            isServable = examination.reading != nil
        }
    }

    private func edited<Value>(
        _ section: String, empty: String, condition: String? = nil,
        _ edit: (inout SectionText, GatewayConfiguration) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> Edited<Value> {
        let before = examine()
        // Places in the section are counted by its entries.
        guard let configuration = before.loaded.draft, before.reading != nil || before.loaded.isWhole(section) else {
            throw .alreadyInvalid(before.errors)
        }
        let name = before.loaded.file(ofSection: section) ?? section + ".json"
        let old = try ConfigurationFile(name, in: directory).read() ?? Array((empty + "\n").utf8)
        var text = try ConfigurationChange.section(section, in: name, old)
        if let condition, !ConfigurationChange.matches(condition, text) { throw .changedMeanwhile }
        let value = try edit(&text, configuration)
        return Edited(
            value: value, draft: ConfigurationDraft(file: name, text: text.bytes), old: old, before: Standing(before),
            unchanged: text.bytes == old ? before : nil)
    }

    /// - Parameter draft: a file as it is going to be; nil for all as they are.
    private func examine(_ draft: ConfigurationDraft? = nil) -> Assembly.Examination {
        Assembly.examine(directory, draft: draft, formerFiles: formerFiles())
    }

    private func accept(
        _ after: Assembly.Examination, insteadOf before: Standing, changed section: String
    ) throws(AdminFailure) {
        var added = ErrorCounts(before.errors).missing(from: after.errors)
        if before.isMalformed, !after.loaded.hasErrors {
            // What is put together only now was as wrong before, in the sections that are as they were.
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

    /// Tells one text of a section from another.
    static func tag(of text: SectionText?) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(text?.section ?? []).span)
        return "\"" + String(decoding: Base64.encode(digest.span, .url).prefix(22), as: UTF8.self) + "\""
    }

    private static func matches(_ condition: String, _ text: SectionText) -> Bool {
        let tags = condition.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return tags.contains("*") || tags.contains(tag(of: text))
    }
}

/// How often each error is found. Places in lists do not count: they move when something before them is taken out.
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

    /// Those of the errors that are not among these.
    func missing(from errors: [Diagnostic]) -> [Diagnostic] {
        var left = counts
        return errors.filter { error in
            let count = left[Key(error), default: 0]
            left[Key(error)] = count - 1
            return count <= 0
        }
    }
}
