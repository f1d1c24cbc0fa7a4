import Bytes
import Gateway
import HTTP
import Identity
import Tokens

extension Administration {
    /// Does for clients of applications what administrators could do (AOM-17, AOM-26), all of it by one reload. Blocks on
    /// files.
    ///
    /// - Returns: what came of each, and from which second on, as `handle` says.
    func perform(
        _ changes: [(change: UserChange, origin: ChangeOrigin)]
    ) -> [(outcome: UserChangeOutcome, since: Int64)] {
        let requests = changes.map { change, origin in
            var request = Administration.request(for: change)
            request.origin = origin
            return request
        }
        return handle(requests).map { (Administration.outcome($0.response), $0.since) }
    }

    private static func outcome(_ response: EndpointResponse) -> UserChangeOutcome {
        switch response.status {
        case 200..<300: .done
        case 404: .unknown
        case 409: .exists
        default: .failed
        }
    }

    private static func request(for change: UserChange) -> AdminRequest {
        var writer = JSONWriter()
        writer.beginObject()
        switch change {
        case .add(let user):
            writer.member("username", user.username)
            writer.member("realm", user.realm)
            writer.member("passwordHash", user.passwordHash ?? "")
            writer.endObject()
            return AdminRequest(
                method: .post, path: ["users"], contentType: "application/json", body: writer.bytes)
        case .setPassword(let username, let realm, let passwordHash):
            writer.member("passwordHash", passwordHash)
            writer.endObject()
            return AdminRequest(
                method: .patch, path: ["users", username], parameters: [.init(name: "realm", value: realm)],
                contentType: "application/json", body: writer.bytes)
        }
    }
}
