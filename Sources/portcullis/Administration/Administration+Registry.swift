import Bytes
import Gateway
import HTTP
import Identity
import Tokens

extension Administration {
    /// Does for clients of applications what administrators could do (AOM-17, AOM-26). Blocks on files.
    ///
    /// - Returns: what came of it, and from which second on, as `handle` says.
    func perform(_ change: UserChange, from origin: ChangeOrigin) -> (outcome: UserChangeOutcome, since: Int64) {
        var request = Administration.request(for: change)
        request.origin = origin
        let (response, since) = handle(request)
        switch response.status {
        case 200..<300: return (.done, since)
        case 404: return (.unknown, since)
        case 409: return (.exists, since)
        default: return (.failed, since)
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
