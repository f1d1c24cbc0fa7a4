#if !Client
    /// A command that stands on the client library, in a program without it.
    protocol AbsentCommand: Command {}

    extension AbsentCommand {
        static var summary: String { "not in this program: it is built without the trait Client" }

        static var help: String {
            """
            `portcullis \(name)` is not in this program, which is built without the trait Client. `deploy/build` and
            `swift build --traits Client` build one with it.
            """
        }

        static func run(_ arguments: [String]) throws(ExitStatus) {
            throw .failure("this program is built without the trait Client, which `portcullis \(name)` needs")
        }
    }

    enum ClientCommand: AbsentCommand { static let name = "client" }
    enum TestCommand: AbsentCommand { static let name = "test" }
    enum KeyCommand: AbsentCommand { static let name = "key" }
#endif
