import Gateway
import HTTP

/// `portcullis status`: the readiness of a running gateway and its configuration.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "show the readiness of a running gateway"
    static let help = """
        usage: portcullis status --admin URL
               portcullis status --config DIR

        Prints the response of `/readyz` of the admin listener, the generation of the active configuration (1 at each
        start) and the number of refused reloads since the start.

        \(RunningGateway.help)

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
        for line in readiness.text.split(separator: "\n") { Terminal.print(String(line)) }
        func show(_ name: String, _ metric: String) {
            guard let line = metrics.first(where: { $0.hasPrefix(metric + " ") }) else { return }
            Terminal.print("\(name): \(line.dropFirst(metric.count + 1))")
        }
        show("configuration", "portcullis_config_generation")
        show("refused reloads", #"portcullis_config_reloads_total{outcome="failed"}"#)
        if readiness.status != 200 { throw .failed }
    }

    private static func text(
        _ resource: String, _ client: AdminClient
    ) throws(ExitStatus) -> (status: Int, text: String) {
        do throws(AdminClient.Failure) {
            let answer = try client.send(.command(.get, [resource]))
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        } catch {
            throw .failure(error.message)
        }
    }
}
