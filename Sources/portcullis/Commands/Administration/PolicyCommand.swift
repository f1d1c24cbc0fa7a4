import Bytes
import Configuration
import Declaration
import Gateway
import HTTP
import Reactor

/// `portcullis policy`: the environment policies (POL-01).
enum PolicyCommand: Command {
    static let name = "policy"
    static let summary = "show, set and unset policies"
    static let help = """
        usage: portcullis policy list WHERE
               portcullis policy get NAME WHERE
               portcullis policy set NAME VALUE WHERE
               portcullis policy unset NAME WHERE
               portcullis policy flatten|pretty FILE

        The policies are \(PoliciesSection.names.joined(separator: ",\n")).
        VALUE is a text; `-` reads it from standard input. A policy that is not set has its default.

        flatten  prints the JSON of FILE on one line, as a policy is stored; `pretty` indents by four blanks. Names, order,
                 numbers and escapes are unchanged. `-` reads standard input.

        \(AdminTarget.help)
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        if let layout = arguments.first, ["flatten", "pretty"].contains(layout) {
            return try layOut(layout, Arguments(arguments, of: self).positional[0])
        }
        let call = try AdminInvocation(arguments, of: self)
        let policy = ["policies", call.first]
        switch call.action {
        case "list":
            let policies = try call.target.perform(.command(.get, ["policies"]))
            if call.arguments.has("--json") { return Listing.show(policies, asJSON: true) }
            for member in policies?.members ?? [] {
                Terminal.print("\(member.name): \(member.node.string ?? member.node.onOneLine)")
            }
        case "get":
            let value = try call.target.perform(.command(.get, policy))?["value"]
            Listing.show(value, asJSON: call.arguments.has("--json"))
        case "set":
            let value = call.names[1] == "-" ? try standardInput() : call.names[1]
            try call.send(.put, policy, body: [("value", .text(value))])
        default: try call.send(.delete, policy)
        }
    }

    /// `policy flatten|pretty FILE`: the value of a policy on one line, as it is stored, or indented (JWT-02).
    private static func layOut(_ action: String, _ file: String) throws(ExitStatus) {
        let text = try FileText.given(file)
        do throws(JSONError) {
            let laidOut = action == "flatten" ? try JSONLayout.flattened(text) : try JSONLayout.indented(text)
            Terminal.print(String(decoding: laidOut, as: UTF8.self))
        } catch {
            throw .failure("\(file) is not JSON: \(JSONProblem(error, in: text, file: "").text)")
        }
    }

    private static func standardInput() throws(ExitStatus) -> String {
        guard let text = String(validating: StandardStream.input(), as: UTF8.self) else {
            throw .failure("the value is not UTF-8")
        }
        return text.trimming(\.isNewline)
    }
}
