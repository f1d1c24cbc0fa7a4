import Bytes
import Gateway
import HTTP

/// `portcullis status`: the readiness of a running gateway and its configuration.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "show the readiness of a running gateway"
    static let help = """
        usage: portcullis status --admin URL [--json]
               portcullis status --config DIR [--json]

        Prints the response of `/readyz` of the admin listener, the generation of the active configuration (1 at each
        start) and the number of refused reloads since the start.

        \(RunningGateway.help)

        --json  print an object with `ready`, `detail`, `configuration` and `refusedReloads`

        exit status: 0 ready, 1 not ready or unreachable

        example: portcullis status --admin http://127.0.0.1:9901
        """

    private static let timeoutMilliseconds: Int32 = 10_000

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let client = try RunningGateway.client(
            arguments, needsToken: false, timeoutMilliseconds: timeoutMilliseconds)
        let readiness = try text("ready", client)
        let metrics = try text("metrics", client).text.split(separator: "\n")
        guard metrics.contains(where: { $0.hasPrefix("portcullis_config_generation ") }) else {
            throw .notAnAdminListener(readiness.status)
        }
        func value(_ metric: String) -> String? {
            metrics.first { $0.hasPrefix(metric + " ") }.map { String($0.dropFirst(metric.count + 1)) }
        }
        let lines = readiness.text.split(separator: "\n").map(String.init)
        let configuration = value("portcullis_config_generation")
        let refused = value(#"portcullis_config_reloads_total{outcome="failed"}"#)
        if arguments.has("--json") {
            let numbers = [("configuration", configuration), ("refusedReloads", refused)]
            let members = numbers.compactMap { name, text in
                text.flatMap { Int64($0) }.map { (name: name, value: JSONNode.number($0)) }
            }
            let state = [
                (name: "ready", value: JSONNode.flag(readiness.status == 200)), ("detail", JSONNode.texts(lines)),
            ]
            Listing.show(.object(state + members), asJSON: true)
        } else {
            for line in lines { Terminal.print(line) }
            if let configuration { Terminal.print("configuration: \(configuration)") }
            if let refused { Terminal.print("refused reloads: \(refused)") }
        }
        if readiness.status != 200 { throw .failed }
    }

    private static func text(
        _ resource: String, _ client: AdminClient
    ) throws(ExitStatus) -> (status: Int, text: String) {
        let answer = try AdminTarget.gateway(client).answer(to: .command(.get, [resource]))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }
}
