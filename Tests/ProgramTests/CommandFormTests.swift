import CommandForms
import Testing

@testable import portcullis

/// What is read from the help of each command: arguments are parsed by it, and manual pages and completions made of it.
@Suite struct CommandFormTests {
    private static let forms = Program.commands.map { (name: $0.name, form: $0.form) }
    /// Commands of a program without the trait Client take nothing.
    private static var usable: [(name: String, form: CommandForm)] { forms.filter { !$0.form.usages.isEmpty } }

    @Test("every option of a usage has a meaning, and one with a value has it everywhere")
    func options() {
        for (name, form) in Self.usable {
            let used = form.usages.flatMap(\.options)
            for option in used {
                #expect(!form.summary(of: option.name).isEmpty, "\(name) \(option.name)")
                let other = (used + form.options).first {
                    $0.name == option.name && ($0.value == nil) != (option.value == nil)
                }
                #expect(other == nil || option.value == nil, "\(name) \(option.name) with and without a value")
                #expect((option.value != nil) == form.takesValue(option.name) || option.value == nil)
            }
            for option in form.options { #expect(used.contains { $0.name == option.name }, "\(name) \(option.name)") }
        }
    }

    @Test("every line of a help belongs to its usage, a paragraph or a list")
    func lines() {
        for (name, form) in Self.usable {
            for line in form.blocks.flatMap(\.text) {
                let text = line.drop { $0 == " " }
                #expect(!text.contains("  ") && !text.hasPrefix("-"), "\(name): \(line)")
            }
            for usage in form.usages {
                for word in usage.words {
                    #expect(
                        word.choices.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9.,=_-]*/) != nil },
                        "\(name): \(word)")
                    #expect(!["WHERE", "WHEN"].contains(word.choices[0]), "\(name): \(word)")
                }
            }
        }
    }

    @Test func usageLines() throws {
        let form = CommandForm(
            """
            usage: portcullis x add NAME [MORE...] [--kind a|b] WHERE
                   portcullis x revoke|remove NAME|--file FILE [--all|--none]
                                [--late TEXT]

            Paragraph.

            add     adds one. Then rests
                    a while
            revoke, remove  the contrary

            --kind  what it is

            WHERE:
            --config DIR  the place
            --deep        far in

            --common TEXT  of all
            """)
        #expect(form.actions == ["add", "revoke", "remove"])
        let (add, other) = (form.usages[0], form.usages[1])
        #expect(add.count == 2...66 && other.count == 1...2)
        #expect(other.options.map(\.name) == ["--file", "--all", "--none", "--late", "--common"])
        #expect(other.lines.count == 2 && add.options.map(\.name).contains("--config"))
        #expect(form.takesValue("--kind") == true && form.takesValue("--deep") == false)
        #expect(form.takesValue("--late") == true && form.takesValue("--nothing") == nil)
        #expect(form.options.first { $0.name == "--kind" }?.value == "a|b")
        #expect(form.summary(of: "add") == "adds one" && form.summary(of: "remove") == "the contrary")
        #expect(other.begins(with: ["remove", "x"]) && !other.begins(with: ["add"]))
    }

    @Test("completions offer every command, and every option and action that it takes")
    func completions() {
        func words(_ typed: [String]) -> Set<String> {
            Set(
                ShellCompletion.candidates(typed).compactMap {
                    if case .word(let word, _) = $0 { word } else { nil }
                })
        }
        #expect(words([""]).isSuperset(of: Self.forms.map(\.name)))
        for (name, form) in Self.usable {
            #expect(words([name, ""]).isSuperset(of: form.actions), "\(name)")
            let starts = form.actions.isEmpty ? [[]] : form.actions.map { [$0] }
            let found = starts.map { words([name] + $0 + ["-"]) }.reduce(into: Set()) { $0.formUnion($1) }
            #expect(found == form.optionNames.union(["--help"]), "\(name)")
        }
    }

    @Test(
        "values are completed by what the usage calls them",
        arguments: [
            (["serve", "--config", ""], [.directory]), (["check", ""], [.directory]),
            (["key", "sign", "a", "--in", ""], [.file]), (["key", "generate", "a", "--type="], ["ec", "rsa"]),
            (["init", "--forward-auth", ""], ["nginx", "caddy", "traefik", "envoy"]),
            (["client", "cred", "s"], ["add", "update", "get", "delete", "set", "show"]),
            (["backend", "enable", "a", "1", ""], ["oauth", "basic", "sso"]),
            (["completions", "words", "--", "x"], ["--help"]), (["nothing", ""], []), (["help", "serve", ""], []),
        ] as [([String], [ShellCompletion.Candidate])])
    func values(_ typed: [String], _ expected: [ShellCompletion.Candidate]) {
        #expect(ShellCompletion.candidates(typed).map(\.bare) == expected)
    }

    @Test("manual pages have every option and action, and every command")
    func pages() {
        func isIn(_ word: String, _ page: String) -> Bool { page.contains(word.replacing("-", with: "\\-")) }
        let pages = ManCommand.pages
        for (command, page) in zip(Program.commands, pages.dropFirst()) {
            #expect(page.name == "portcullis-\(command.name)")
            #expect(isIn("\\fB\(command.name)\\fR", pages[0].text))
            for word in command.form.optionNames.union(command.form.actions) {
                #expect(isIn("\\fB\(word)\\fR", page.text), "\(command.name) \(word)")
            }
        }
    }
}

extension ShellCompletion.Candidate: ExpressibleByStringLiteral {
    public init(stringLiteral word: String) { self = .word(word) }

    /// Without the meaning.
    fileprivate var bare: ShellCompletion.Candidate {
        if case .word(let word, _) = self { .word(word) } else { self }
    }
}
