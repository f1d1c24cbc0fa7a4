import Declaration

extension SecretProgram {
    static let list = shape.byName("an object of programs by name", "invalid name of a program") { $0.name = $1 }

    private static let shape = Shape.object("a program: {\"command\"}") { object in
        SecretProgram(
            name: "",
            command: object.required(
                "command", commandLine, "the program and its arguments", placeholder: [],
                """
                The absolute path of the program and its arguments. `{key}` in an argument stands for the key that the \
                secret names. No shell takes part.
                """),
            timeoutMilliseconds: object.value(
                "timeout", .milliseconds, default: 10_000, "Time limit of the program; then it is ended."))
    }

    private static let commandLine = Shape<[String]>.texts(.list(.text, minimum: 1, isUnique: false)) { field in
        let arguments = (field.elements("an array of strings") ?? []).compactMap { $0.text() }
        guard let path = arguments.first else { return field.invalid("the path of a program, and its arguments") }
        guard path.hasPrefix("/"), !path.contains(mark) else {
            return field.error("the program is no absolute path", expected: "\"/usr/bin/...\"", found: "\"\(path)\"")
        }
        guard arguments.allSatisfy({ !$0.utf8.contains(0) }) else { return field.invalid("arguments without NUL") }
        return arguments
    }
}
