import Endpoints
import Identity
import Model
import OAuthServer
import Outbound

extension ApplicationTokens {
    /// `grant_type=aom_facebook` with the Facebook token as `facebook_token`: a pair in the slot `facebook` (AOM-11).
    func logInWithFacebook(
        _ form: TokenForm, _ application: Application, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard let login = application.facebook, let social = settings.social else { throw .unauthorizedClient }
        guard let token = form["facebook_token"] else { throw .missingParameter }
        guard form["extra"] == nil else { throw .invalidParameter }
        var wish = try PairRequest(form, application)
        wish.extra = PairRequest.facebook
        let action = "grant.aom_facebook"
        return social.verdict(on: Array(token.utf8), for: login, now: now).then { [self, wish] verdict in
            switch verdict {
            case .valid(let userID, _):
                claim(wish, application, subject: SocialLogin.subject(userID), action: action, now: now)
            case .invalid: .done(refused(.invalidGrant, action, application))
            case .unavailable: .done(refused(.providerUnavailable, action, application))
            }
        }
    }
}
