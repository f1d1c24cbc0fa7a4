import Bytes
import Configuration
import Gateway
import HTTP

/// Pages of the reference beside those of the configuration.
enum ReferencePages {
    /// - Parameter endpoints: `openapi.json`; nil for no page of endpoints.
    static func others(endpoints: JSONNode?) -> [ReferenceIndex.Other] {
        let pages = endpoints.map { document in
            ReferenceIndex.Other(name: "endpoints", title: "Endpoints", text: EndpointReference(document).page)
        }
        return (pages.map { [$0] } ?? []) + [
            ReferenceIndex.Other(name: "commands", title: "Commands", text: commands),
            ReferenceIndex.Other(name: "reasons", title: "Reason codes", text: ReasonTexts.page),
            ReferenceIndex.Other(name: "managedFields", title: "Managed fields", text: ManagedNames.reference),
            ReferenceIndex.Other(name: "metrics", title: "Metrics", text: PrometheusText.reference),
            ReferenceIndex.Other(name: "events", title: "Log events", text: LogEvent.reference),
        ]
    }

    /// A chapter for each command, with its help.
    private static var commands: String {
        let chapters = Program.commands.map { command in
            "## `portcullis \(command.name)`\n\n\(sentence(command.summary))\n\n```text\n\(command.help)\n```\n"
        }
        let list = Program.commands.map { command in
            "- [`\(command.name)`](#portcullis-\(command.name)): \(command.summary)"
        }
        return """
            # Commands

            `portcullis COMMAND --help` prints the same text. After `--`, names may begin with a dash. WHERE stands for the
            options at the end of a help, which name the configuration or the running gateway. Exit status: 0 success,
            1 failure or invalid configuration, 2 usage error.

            \(list.joined(separator: "\n"))

            \(chapters.joined(separator: "\n"))
            """
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }
}
