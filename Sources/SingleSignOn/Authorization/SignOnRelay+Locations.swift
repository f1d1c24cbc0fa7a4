import Bytes
import Crypto
import Identity
import Model
import OAuthServer

/// Where browsers continue: with the request for a token, or with a sealed authorization request.
extension SignOnRelay {
    /// Address of the request, before the login.
    func location(of visit: Visit) -> String {
        location(visit, loggedInAt: nil) + (visit.isForced ? "&prompt=login" : "")
    }

    /// The address after the login, which satisfies a request for a new login.
    func locationAfterLogin(_ visit: Visit) -> String { location(visit, loggedInAt: visit.now) }

    func location(_ visit: Visit, loggedInAt: Int64?) -> String {
        let path: String
        if visit.request.device != nil {
            path = OAuthEndpoints.devicePath
        } else if visit.request.authorization != nil {
            path = service.settings.paths.authorization
        } else {
            return visit.request.location
        }
        return "\(path)?resume=\(sealed(visit.request, loggedInAt: loggedInAt, now: visit.now))"
    }

    /// A checked authorization request, sealed.
    /// - Parameter loggedInAt: when the user logged in for it, in seconds since 1970; nil before.
    func sealed(_ request: SignOnRequest, loggedInAt: Int64?, now: Int64) -> String {
        seals.signOnRequests.seal(
            request.texts + [loggedInAt.map { "\($0)" } ?? ""], expiresAt: now + SignOnRequest.lifetimeSeconds)
    }

    /// Opens what `sealed` returns; nil for another text.
    func resume(_ text: String, now: Int64) -> (request: SignOnRequest, loggedInAt: Int64?)? {
        guard let texts = try? seals.signOnRequests.open(Array(text.utf8).span, now: now).texts,
            texts.count == SignOnRequest.textCount + 1,
            let request = SignOnRequest(texts: Array(texts.prefix(SignOnRequest.textCount)))
        else { return nil }
        return (request, Decimal.parse(Array(texts[SignOnRequest.textCount].utf8).span).map(Int64.init))
    }
}
