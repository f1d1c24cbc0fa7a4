import Bytes
import HTTP

/// `portcullis signing-keys`: the keys that the gateway signs its own tokens with.
enum SigningKeysCommand: Command {
    static let name = "signing-keys"
    static let summary = "list, rotate and retire the keys that sign the gateway's tokens"
    static let help = """
        usage: portcullis signing-keys list WHERE
               portcullis signing-keys rotate [--alg ALGORITHM] [--now] WHERE
               portcullis signing-keys retire KID WHERE

        list    prints the keys with their algorithms and states: next, active, retired. The key set publishes all of them
        rotate  makes a key and publishes it as the next one; if there is one, signs with it and retires the active key,
                whose tokens are accepted until the last one has ended
        retire  takes a key out of use: its tokens are refused. For the active key, the next one signs

        --alg   the algorithm whose key is rotated; that of access tokens by default
        --now   sign with the next key although it has not been published for `tokenService.publishKeysFor`

        A running gateway notices a change of the files within 10 seconds. With `tokenService.sharedKeys` the keys are those
        of the store, and all its gateways notice a change within 2 seconds.

        \(AdminTarget.help)

        examples: portcullis signing-keys rotate --config /etc/portcullis
                  portcullis signing-keys list --admin http://127.0.0.1:9901 --admin-token-file admin.token
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let call = try AdminInvocation(arguments, of: self)
        switch call.action {
        case "list": try call.show(.get, ["signing-keys"])
        case "rotate":
            try call.show(
                .post, ["signing-keys", "rotate"],
                body: [
                    ("now", .flag(call.arguments.has("--now"))), ("alg", call.arguments["--alg"].map { .text($0) }),
                ])
        default: try call.send(.delete, ["signing-keys", call.first])
        }
    }
}
