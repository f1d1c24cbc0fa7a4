import Bytes
import Configuration
import Crypto
import Foundation

/// A configuration directory that is looked at, and changed one section at a time: under a lock, checked as a whole
/// before anything is written, and written at once or not at all.
struct ConfigurationChange: Sendable {
    let directory: String

    /// Everything there is now.
    func read() throws(AdminFailure) -> Assembly.Reading {
        switch Assembly.examine(directory) {
        case .good(let reading): return reading
        case .bad(let diagnostics):
            throw .invalid("the configuration is not valid as it is, and must be mended first", diagnostics)
        }
    }

    /// The text of a section; nil where there is none.
    func text(of section: String, _ reading: Assembly.Reading) throws(AdminFailure) -> SectionText? {
        guard let file = reading.loaded.file(ofSection: section) else { return nil }
        guard let bytes = try ConfigurationFile(file, in: directory).read() else { return nil }
        return try ConfigurationChange.section(section, in: file, bytes)
    }

    /// Changes a section, which is made where it is missing.
    ///
    /// - Parameters:
    ///   - empty: the text of a new section: `[]` or `{}`.
    ///   - condition: what the caller has seen, see `tag(of:)`; nil changes whatever there is.
    ///   - edit: what to do. Where the text is the same afterwards, nothing is written.
    /// - Returns: what `edit` answered, and the configuration as it is now.
    func change<Value>(
        _ section: String, empty: String, condition: String? = nil,
        _ edit: (inout SectionText, Assembly.Reading) throws(AdminFailure) -> Value
    ) throws(AdminFailure) -> (value: Value, now: Assembly.Reading) {
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        let name = before.loaded.file(ofSection: section) ?? section + ".json"
        let file = try ConfigurationFile(name, in: directory)
        let old = try file.read() ?? Array((empty + "\n").utf8)
        var text = try ConfigurationChange.section(section, in: name, old)
        if let condition, !ConfigurationChange.matches(condition, text) { throw .changedMeanwhile }
        let value = try edit(&text, before)
        guard text.bytes != old else { return (value, before) }
        let draft = ConfigurationDraft(file: name, text: text.bytes)
        guard case .good(let after) = try examine(draft) else {
            throw .invalid("with this change the configuration would not be valid", [])
        }
        // Somebody with an editor takes no lock.
        guard try file.read() ?? Array((empty + "\n").utf8) == old else { throw .changedMeanwhile }
        try file.replace(with: text.bytes)
        return (value, after)
    }

    private func examine(_ draft: ConfigurationDraft) throws(AdminFailure) -> Assembly.Examination {
        let examination = Assembly.examine(directory, draft: draft)
        if case .bad(let diagnostics) = examination {
            throw .invalid("with this change the configuration would not be valid", diagnostics)
        }
        return examination
    }

    private static func section(
        _ section: String, in file: String, _ bytes: [UInt8]
    ) throws(AdminFailure) -> SectionText {
        do throws(JSONError) {
            return try SectionText(file: file, bytes: bytes, section: file == "gateway.json" ? section : nil)
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
