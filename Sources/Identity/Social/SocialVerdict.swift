/// What the provider says of a social token.
package enum SocialVerdict: Sendable, Equatable {
    /// - Parameters:
    ///   - userID: the provider's number of the person.
    ///   - endsAt: seconds since 1970 when the token ends; nil where the provider does not say.
    case valid(userID: String, endsAt: Int64?)
    /// It is worth nothing, or is for another app.
    case invalid
    /// The provider does not answer, or not in a way that makes sense. Nobody's credentials are bad for that.
    case unavailable
}
