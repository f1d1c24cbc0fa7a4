import Bytes
import Configuration
import Crypto
import Foundation

/// A configuration directory that is looked at, and changed one section at a time: under a lock, checked as a whole
/// before anything is written, and written at once or not at all.
struct ConfigurationChange: Sendable {
    let directory: String
    /// Files that the configuration in force was read from. A section whose file has gone missing is not made anew with
    /// what is added to it, and nothing else.
    var formerFiles: @Sendable () -> Set<String> = { [] }

    /// Everything there is now.
    func read() throws(AdminFailure) -> Assembly.Reading {
        switch Assembly.examine(directory, formerFiles: formerFiles()) {
        case .good(let reading): return reading
        case .bad(let diagnostics):
            throw ConfigurationChange.notValid(diagnostics)
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
        let (value, after) = try write(section, in: name, empty: empty, condition: condition) {
            (text) throws(AdminFailure) in
            try edit(&text, before)
        } accept: { (draft) throws(AdminFailure) in
            try examine(draft)
        }
        return (value, after ?? before)
    }

    /// The same for what others may name already: a role that a route asks for, though nobody has added it yet, is added
    /// to a configuration that is not valid without it. Afterwards it is.
    ///
    /// - Parameter edit: what to do, from the text of the section alone.
    func add(
        to section: String, empty: String, condition: String? = nil,
        _ edit: (inout SectionText) throws(AdminFailure) -> Void
    ) throws(AdminFailure) {
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let examination = Assembly.examine(directory, formerFiles: formerFiles())
        let (name, before): (String?, [Diagnostic]) =
            switch examination {
            case .good(let reading): (reading.loaded.file(ofSection: section), [])
            case .bad(let diagnostics): (ConfigurationChange.file(of: section, in: directory), diagnostics)
            }
        _ = try write(section, in: name ?? section + ".json", empty: empty, condition: condition, edit) {
            (draft) throws(AdminFailure) in
            if before.isEmpty { return try examine(draft) }
            // Whatever else is wrong is to be mended first, and told as it is.
            guard case .good(let after) = Assembly.examine(directory, draft: draft, formerFiles: formerFiles()) else {
                throw ConfigurationChange.notValid(before)
            }
            return after
        }
    }

    /// - Parameter accept: takes what is about to be written, or throws.
    /// - Returns: what `edit` answered, and the configuration as it is now; nil where nothing was to be written.
    private func write<Value>(
        _ section: String, in name: String, empty: String, condition: String?,
        _ edit: (inout SectionText) throws(AdminFailure) -> Value,
        accept: (ConfigurationDraft) throws(AdminFailure) -> Assembly.Reading
    ) throws(AdminFailure) -> (value: Value, now: Assembly.Reading?) {
        let file = try ConfigurationFile(name, in: directory)
        let old = try file.read() ?? Array((empty + "\n").utf8)
        var text = try ConfigurationChange.section(section, in: name, old)
        if let condition, !ConfigurationChange.matches(condition, text) { throw .changedMeanwhile }
        let value = try edit(&text)
        guard text.bytes != old else { return (value, nil) }
        let after = try accept(ConfigurationDraft(file: name, text: text.bytes))
        // Somebody with an editor takes no lock.
        guard try file.read() ?? Array((empty + "\n").utf8) == old else { throw .changedMeanwhile }
        try file.replace(with: text.bytes)
        return (value, after)
    }

    /// The file that a section stands in, of a configuration that may not be valid; nil where there is none.
    private static func file(of section: String, in directory: String) -> String? {
        ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment, production: false,
            credentials: SecretStore.lookup(directory)
        ).file(ofSection: section)
    }

    private static func notValid(_ diagnostics: [Diagnostic]) -> AdminFailure {
        .invalid("the configuration is not valid as it is, and must be mended first", diagnostics)
    }

    private func examine(_ draft: ConfigurationDraft) throws(AdminFailure) -> Assembly.Reading {
        switch Assembly.examine(directory, draft: draft, formerFiles: formerFiles()) {
        case .good(let reading): return reading
        case .bad(let diagnostics):
            throw .invalid("with this change the configuration would not be valid", diagnostics)
        }
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
