import Bytes
import Declaration

/// Writes forms as pages of the reference. Each key is a heading with its facts, its meaning and an example. An object
/// that occurs at several places is described at the first one.
struct ReferenceWriter {
    /// Where the members of an object, or a key, are described.
    private struct Place {
        let label: String
        let page: String
        let anchor: String

        func link(from other: String) -> String { "[\(label)](\(page == other ? "" : "\(page).md")#\(anchor))" }
    }

    /// Where in a configuration the walk is.
    private struct Position {
        /// The heading of the object: `listeners[].tls`.
        var name = ""
        var path: [ReferenceExamples.Step] = []
        var depth = 0
        /// Of a gateway section that applies at the next start.
        var change = KeyFacts.Change.reload
        /// The keys from the root, for the names of variables; nil inside lists and free names.
        var keys: [String]? = []
        /// The alternative among objects with discriminators.
        var kind: String?
    }

    /// Objects with fewer keys are repeated where they occur again.
    private static let fewestSharedKeys = 3
    /// Members of `gateway.json` with so many keys have a page of their own.
    private static let fewestKeysOfPage = 8

    private(set) var pages: [ReferencePage] = []
    private let examples: ReferenceExamples?
    private var variables: [[String]: String] = [:]
    private var objects: [String: Place] = [:]
    /// Keys by their declaration, and those of alternatives by path and declaration.
    private var keys: [String: Place] = [:]
    private var alternatives: [String: Place] = [:]

    init(examples: ReferenceExamples?) { self.examples = examples }

    /// Adds the pages of a section.
    mutating func add(_ section: SectionForm) {
        let isGateway = section.name == SectionForm.gatewayName
        variables = [:]
        if isGateway {
            for (name, option) in OptionVariables(section.form).options { variables[option.path] = name }
        }
        let file = section.container.map { "Part of `\($0).json`." } ?? "The file `\(section.name).json`."
        pages.append(ReferencePage(name: section.name, introduction: [file, Markdown.inReference(section.meaning)]))
        var position = Position()
        position.path = [.section(section.name)]
        if !isGateway { position.keys = nil }
        walk(section.form, position, on: pages.count - 1)
    }

    // MARK: Walk

    /// Adds the members of all objects of a form.
    /// - Returns: notes with links to members that are described elsewhere.
    @discardableResult
    private mutating func walk(_ form: Form, _ position: Position, on page: Int) -> [String] {
        switch form {
        case .object(let object): return members(object, position, on: page)
        case .list(let element, _, _, _):
            var inner = position
            inner.name += position.name.isEmpty ? "" : "[]"
            inner.path.append(.any)
            inner.keys = nil
            return walk(element, inner, on: page)
        case .map(let value, _, _):
            var inner = position
            inner.name += position.name.isEmpty ? "NAME" : ".NAME"
            inner.path.append(.any)
            inner.keys = nil
            return walk(value, inner, on: page)
        case .either(let forms): return either(forms, position, on: page)
        case .named(_, let form), .described(_, let form): return walk(form, position, on: page)
        case .flag, .integer, .text, .pattern, .choice, .schema: return []
        }
    }

    private mutating func either(_ forms: [Form], _ position: Position, on page: Int) -> [String] {
        var notes: [String] = []
        let isByKind = forms.count { $0.kind != nil } > 1
        // A value or a list of such values: the members of the value describe both.
        for form in forms where !forms.contains(where: { $0.isElement(of: form) }) {
            var inner = position
            if isByKind, let kind = form.kind {
                inner.kind = kind.words.map { "`\($0)`" }.joined(separator: ", ")
                inner.path.append(.kind(kind.key, kind.words))
                inner.depth += 1
                pages[page].entries.append(
                    ReferencePage.Entry(
                        heading:
                            "\(position.name.isEmpty ? "" : "`\(position.name)`: ")\(kind.key) \(inner.kind ?? "")",
                        rank: min(2 + position.depth, 4)))
                let place = pages[page].entries.count - 1
                pages[page].entries[place].notes += walk(form, inner, on: page)
            } else {
                notes += walk(form, inner, on: page).filter { !notes.contains($0) }
            }
        }
        return notes
    }

    private mutating func members(_ object: ObjectForm, _ position: Position, on page: Int) -> [String] {
        let form = Form.object(object)
        if form.keyCount >= ReferenceWriter.fewestSharedKeys {
            if let place = objects[form.signature] {
                return ["Its keys are those of \(place.link(from: pages[page].name))."]
            }
            let label = position.name.isEmpty ? "`\(pages[page].name)`" : "`\(position.name)`"
            let anchor = pages[page].entries.last?.anchor ?? Markdown.anchor(pages[page].name)
            objects[form.signature] = Place(label: label, page: pages[page].name, anchor: anchor)
        }
        let known = position.depth == 0 ? [] : object.keys.compactMap { keys[$0.signature] }
        let areShared = known.count >= ReferenceWriter.fewestSharedKeys
        var shared: [Place] = []
        for key in object.keys {
            if areShared, let place = keys[key.signature] {
                shared.append(place)
            } else if let place = add(key, position, on: page) {
                shared.append(place)
            }
        }
        if shared.isEmpty { return [] }
        let links = shared.map { $0.link(from: pages[page].name) }
        return ["Further keys, as described there: \(links.joined(separator: ", "))."]
    }

    /// Adds a key and what is below it.
    /// - Returns: where it is described, if another alternative has the same one.
    private mutating func add(_ key: ObjectForm.Key, _ position: Position, on page: Int) -> Place? {
        let name = position.name.isEmpty ? key.name : "\(position.name).\(key.name)"
        let signature = "\(pages[page].name) \(name) \(key.signature)"
        if position.kind != nil, let place = alternatives[signature] { return place }
        var entry = ReferencePage.Entry(
            heading: "`\(name)`", rank: min(2 + position.depth, 4), key: key.name,
            place: position.name.hasPrefix(pages[page].name)
                ? position.name : pages[page].name + (position.name.isEmpty ? "" : ": \(position.name)"))
        if pages[page].entries.contains(where: { $0.anchor == entry.anchor }) {
            entry.heading += position.kind.map { " (\($0))" } ?? ""
        }
        var inner = position
        (inner.name, inner.depth) = (name, position.depth + 1)
        inner.path.append(.member(key.name))
        inner.keys?.append(key.name)
        inner.change = key.facts.change == .reload ? position.change : key.facts.change
        entry.facts = facts(key, inner)
        entry.meaning = Markdown.inReference(key.meaning)
        entry.example = examples?.example(of: key, at: inner.path)
        if inner.change == .elementsAtRestart { inner.change = .reload }
        let place = Place(label: "`\(key.name)`", page: pages[page].name, anchor: entry.anchor)
        alternatives[signature] = place
        if keys[key.signature] == nil { keys[key.signature] = place }
        pages[page].entries.append(entry)
        let index = pages[page].entries.count - 1
        if position.name.isEmpty, position.keys != nil, key.form.keyCount >= ReferenceWriter.fewestKeysOfPage {
            pages.append(
                ReferencePage(
                    name: key.name, introduction: ["Part of `gateway.json`.", Markdown.inReference(key.meaning)]))
            inner.depth = 0
            let notes = walk(key.form, inner, on: pages.count - 1)
            pages[page].entries[index].notes += ["Its keys: [`\(key.name)`](\(key.name).md)."] + notes
        } else {
            let notes = walk(key.form, inner, on: page)
            pages[page].entries[index].notes += notes
        }
        return nil
    }

    /// The lines of facts about a key.
    private func facts(_ key: ObjectForm.Key, _ position: Position) -> [String] {
        var facts = ["Value: \(key.form.words)"]
        if key.isRequired {
            facts.append("Required")
        } else if let standard = key.standard {
            facts.append("Default: `\(ReferenceExamples.line(standard))`")
        }
        if let since = key.facts.since { facts.append("Since: \(since)") }
        switch position.change {
        case .reload: facts.append("Change: reload")
        case .restart: facts.append("Change: restart")
        case .elementsAtRestart: facts.append("Change: reload; restart to add or remove one")
        }
        if let keys = position.keys, let variable = variables[keys] { facts.append("Variable: `\(variable)`") }
        return facts
    }
}
