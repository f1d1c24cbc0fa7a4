/// Why a request ended the way it did: the stable code of access log, audit log, metrics and `portcullis explain`.
///
/// The raw value is the place in `table`, which has code, status and meaning of every case in the order of the cases.
package enum Reason: UInt16, Error, Sendable, CaseIterable {
    // Requests that were served
    case allowed, preflight, noIcon, health, readiness, metrics, reloaded, administered, whoAmI, revoked, keySet,
        metadata, tokenIssued, tokenActive, tokenInactive, tokenEnded, tokenUnknown, userObject, userChanged,
        userCreated, profileRead, profileCreated, profileChanged, profileRemoved, profile, profileUnchanged,
        deviceRegistered, userTokenIssued, userTokenIssuedOffline, clientTokenIssued, webgateTokenIssued,
        secondStepAsked, tokenValid, loggedOut, loginForm, loginChoice, browserLoggedIn, loginCodeIssued,
        logoutForm, loginAtProvider, providerAnswerTaken, providerLogout, ssoLoginAsked, ssoTokenShown,
        ssoTokenPosted, ssoCapture, errorPage, redirected, responded, forwardAuthAllowed, consentAsked, codeIssued,
        authorizationMoved, userInfoServed, authorizationPushed, deviceCodesIssued, deviceCodeForm, deviceDecided,
        clientRegistered, registrationRead, registrationEnded
    // Refused by policy
    case noRoute, methodNotAllowed, ambiguousPath, corsDenied, corsMalformed, tlsRequired,
        clientCertificateRequired, clientCertificateNotAllowed, clientCertificateRevoked,
        clientCertificateInvalid, clientCertificateMalformed, duplicateCredential, keyBesideCredential,
        missingCredential,
        apiKeyMissing, userCredentialMissing,
        unsupportedScheme, malformedCredential, malformedToken, unsupportedAlgorithm, unknownKey, badSignature,
        tokenTooLarge, tokenUndecryptable, tokenUnsigned, tokenUnencrypted, tokenChainUntrusted, tokenChainNameWrong,
        invalidToken, tokenExpired, tokenNotYetValid, tokenRevoked, assertionReplayed, apiKeyUnknown, apiKeyExpired,
        certificateUserUnknown, certificateExpired, storeUnavailable, unknownIssuer,
        wrongAudience, wrongTokenType, wrongTokenClient, proofRequired, tokenUnbound, tokenCertificateWrong,
        dpopSchemeWrong,
        dpopProofMissing, dpopProofRepeated, dpopProofMalformed, dpopSignatureInvalid, dpopKeyWrong,
        dpopRequestWrong, dpopTokenWrong, dpopTimeWrong, dpopReplayed, dpopNonceRequired,
        unknownSubject, missingBackend, unknownClient,
        basicDisabled, oauthDisabled, wrongPassword, loginThrottled, loginRequired, socialLoginRequired,
        socialLoginOnly, missingApplicationKey, wrongWebgate, sessionIdle, sessionInvalid, sessionExpired,
        crossSiteRequest, stepUpRequired, keysUnavailable, backendMismatch, clientNotAllowed,
        applicationMismatch, insufficientScope, roleRequired, identityProviderUnavailable,
        introspectionUnavailable, wrongScheme, issuerNotAllowed, scopeRequired, claimRequired, addressNotAllowed,
        forwardAuthUntrusted, forwardAuthMalformed, forwardAuthUnsupported,
        authenticationTooWeak, authenticationTooOld, authenticatorNotListed,
        policyDenied, policyHidden, policyLoginRequired, policyInputInvalid, policyUnavailable
    // Refused for limits or load
    case rateLimited, clientThrottled, overloaded, decisionTimeout, bodyTooLarge, bodyTimeout, headerTimeout,
        malformedBody, unknownHost, upgradeRefused
    // Failed at the upstream or its token
    case upstreamConnectFailed, upstreamConnectTimeout, upstreamTLSFailed, upstreamConnectionLost,
        upstreamResponseTimeout, upstreamInvalidResponse, upstreamExhausted, upstreamQueueTimeout,
        upstreamUnavailable, upstreamAuthFailed, upstreamAuthRequired, issuerRefused, issuerUnavailable,
        issuerInvalidToken, issuerMisconfigured, issuerCredentialMissing
    // Ended early (access log only)
    case memoryExhausted, clientClosed, clientReset, clientWriteTimeout, tunnelExpired, tunnelRevoked,
        tunnelRefused, tunnelIdle, tunnelDrained, eventStreamExpired, eventStreamRevoked, eventStreamRefused,
        eventStreamIdle, eventStreamDrained
    // Administration
    case invalidRequest, notFound, conflict, preconditionFailed, invalidConfiguration, writeFailed, busy,
        reloadFailed, unavailable
    // Token endpoint
    case tokenWrongContentType, tokenMalformedForm, tokenRepeatedParameter, tokenCredentialInQuery,
        repeatedAuthorization, tokenTwoCredentials, tokenConflictingClientID, tokenConflictingApplication,
        tokenMissingGrantType, tokenMissingParameter, tokenInvalidParameter, invalidClient, unauthorizedClient,
        unsupportedGrantType, invalidScope, invalidGrant, clientAssertionInvalid, clientAssertionReplayed,
        clientAssertionTypeUnknown, refreshTokenInvalid, refreshTokenReused, tokenOfAnotherClient,
        introspectionNotAllowed, exchangeNotAllowed, tokenTypeUnsupported, subjectTokenInvalid, actorTokenInvalid,
        tokenProofInvalid, tokenProofNonceRequired, tokenProofRequired,
        invalidTarget, tokenStoreUnavailable, tokenIssuerUnavailable, grantNotAllowed, codeInvalid, codeReused,
        codeVerifierWrong, deviceCodeInvalid, devicePending, devicePolledTooSoon, deviceAccessDenied, deviceCodeExpired,
        registrationInvalid, registrationRedirectInvalid, registrationTokenInvalid, registrationsFull
    // Exchange of outside tokens
    case assertionClientNotAllowed, assertionKeysUnavailable, assertionMalformed, assertionEncrypted,
        assertionCriticalHeader, assertionIssuerUnknown, assertionIssuerInvalid, assertionIssuerDisabled,
        assertionAlgorithmUnsupported, assertionKeyUnknown, assertionSignatureInvalid, assertionKeysUnusable,
        assertionExpiryMissing, assertionExpired, assertionNotYetValid, assertionIssuedInFuture,
        assertionAudienceWrong, assertionTypeWrong, assertionProofRequired, assertionFilterNotSatisfied,
        assertionUsernameMissing, assertionUsernameUnusable, assertionOfClient, assertionUserUnknown,
        assertionUserAmbiguous, assertionUserDisabled, assertionUsedBefore, assertionRevoked, ssoBackendMissing,
        ssoBackendUnknown, ssoBasicNotEnabled, ssoBackendNotAllowed, ssoTwoCredentials, samlUnavailable,
        samlPackageMalformed, samlTooLarge, samlMalformed, samlDeclarationForbidden, samlResponseNotAssertion,
        samlEncrypted, samlNotOneAssertion, samlStatusNotSuccess, samlUnsigned, samlSignatureMalformed,
        samlReferenceWrong, samlAlgorithmUnsupported, samlKeyUnknown, samlSignatureInvalid, samlExpired,
        samlNotYetValid, samlExpiryMissing, samlAudienceMissing, samlAudienceWrong, samlNotConfirmed,
        samlRecipientWrong, samlConditionUnknown
    // Mobile & Social
    case oicUnknownService, oicUnknownApplication, oicWrongContentType, oicMalformedBody, oicMalformedQuery,
        oicCredentialInQuery, oicUnknownVersion, oicMalformedAttribute, oicConflictingAttribute,
        oicMissingAttribute, oicUnsupportedTokenType, oicDeviceProfileTooLong, oicClientProofMissing,
        oicClientProofInvalid, oicWrongPassword, loginForbidden, loginServerUnavailable, loginServerInvalidAnswer,
        loginServerMisconfigured, loginServerNotAsked, loginAttemptsExceeded, oicUserTokenInvalid, oicLevelTooLow,
        oicSchemeWrong, oicContextInvalid, oicResourceMismatch, oicResourceForeign, deviceDenied, deviceWipe,
        useSSOAgent, notInCircleOfTrust, useIdentityProvider, oicCodeInvalid, oicWrongAnswer, secondStepMissing
    // Login pages and single sign-on
    case loginUnknownService, loginWithoutProvider, loginUnknownProvider, loginLevelUnreachable, loginTooWeak,
        loginTooOld, loginUnknownApplication, loginRequestMalformed,
        loginRedirectForeign, loginFormForeign, loginFormExpired, loginSessionOversized,
        loginHostForeign, ssoClientMissing,
        ssoRepeatedParameter, ssoMalformedParameter, ssoNotEnabled, ssoRedirectNotAllowed, ssoNotNavigated,
        ssoRequestForeign, ssoWrongRealm, ssoCaptureEmpty, ssoUnavailable
    // Authorization endpoint
    case authorizationClientUnknown, authorizationRedirectForeign, authorizationMalformed,
        authorizationRepeatedParameter, authorizationTypeUnsupported, authorizationChallengeMissing,
        authorizationRequestUnsupported, authorizationScopeInvalid, authorizationLoginRequired,
        authorizationConsentRequired, authorizationDenied, authorizationUnavailable, authorizationNotPushed,
        authorizationReferenceUnknown, deviceUserCodeUnknown, logoutRequestInvalid
    // Identity providers
    case providerDenied, providerCallbackMalformed, providerAnswerForeign, providerCodeRefused,
        providerNonceWrong, providerTokenInvalid, providerAssertionInvalid, providerInvalidAnswer,
        providerMisconfigured, providerUnavailable, providerUsernameMissing, providerUsernameUnusable,
        providerTokenOfClient, providerUserUnknown, providerUserAmbiguous, providerUserDisabled,
        providerEmailUnverified, providerLogoutMalformed
    // Users of applications and user profiles
    case writePermissionRequired, signUpDisabled, noSuchObject, tokenInUse, nameTaken, unsupportedMediaType,
        usersUnavailable, profileBearerRequired, profileRightMissing, profileRealmUnknown, profileNoResource,
        profileUnknownPerson, profileUnknownGroup, profileUnknownAttribute, profileNoManager, profileNotMember,
        profileMalformedQuery, profileMalformedBody, profileInvalidAttribute, profileAttributeRefused,
        profileMailTaken, profileGroupTaken, profileGroupInUse, profileConflict
    // Invalid HTTP
    case malformedRequestLine, methodTooLong, malformedTarget, targetTooLong, malformedVersion,
        unsupportedVersion, connectUnsupported, malformedStatusLine, headTooLarge, tooManyFields,
        malformedFieldName, spaceBeforeColon, obsoleteFold, malformedFieldValue, bareCarriageReturn, bareLineFeed,
        missingHost, duplicateHost, malformedHost, unknownExpectation, tooManyConnectionOptions,
        malformedContentLength, duplicateContentLength, lengthWithTransferEncoding, malformedTransferEncoding,
        unknownTransferCoding, transferEncodingOnHTTP10, framingAlias, malformedChunkSize,
        malformedChunkExtension, malformedChunkEnd, malformedTrailer, trailerTooLarge
    // Failed connections (no request)
    case tlsProtocolError, tlsNoSharedCipher, tlsNoApplicationProtocol, tlsUnsupportedVersion,
        tlsCertificateRequired, tlsCertificateInvalid, tlsHostMismatch, tlsNotTLS, tlsRefusedByPeer, tlsFlood,
        tlsClosed, tlsInternal, notHTTP2, h2ProtocolError, h2FrameSize, h2FlowControl, h2Compression,
        h2StreamClosed, h2BlockTooLarge, h2ContinuationFlood, h2ResetFlood, h2ProvokedResetFlood, h2SettingsFlood,
        h2PingFlood, h2EmptyFrameFlood, h2WindowUpdateFlood, h2PriorityFlood, h2QueueFlood, h2InternalError,
        h2Disconnected
}

extension Reason: CustomStringConvertible {
    /// Reasons of one kind, which the documentation shows in one table.
    package struct Group: Sendable {
        package let title: String
        package let rows: [Row]
    }

    /// - status: of the reply; 0 where the reason has none of its own.
    /// - meaning: what happened, and what an operator does about it, in one line of Markdown.
    package typealias Row = (code: String, status: Int, meaning: String)

    package static let groups = [
        Group(title: "Requests that were served", rows: served),
        Group(title: "Refused by policy", rows: decision),
        Group(title: "Refused for limits or load", rows: limits),
        Group(title: "Failed at the upstream or its token", rows: upstream),
        Group(title: "Ended early (access log only)", rows: ended),
        Group(title: "Administration", rows: admin),
        Group(title: "Token endpoint", rows: token),
        Group(title: "Exchange of outside tokens", rows: exchange),
        Group(title: "Mobile & Social", rows: mobile),
        Group(title: "Login pages and single sign-on", rows: browser),
        Group(title: "Authorization endpoint", rows: authorization),
        Group(title: "Identity providers", rows: provider),
        Group(title: "Users of applications and user profiles", rows: users),
        Group(title: "Invalid HTTP", rows: http),
        Group(title: "Failed connections (no request)", rows: connection),
    ]

    private static let table = groups.flatMap(\.rows)
    package static let count = table.count

    /// Place in an array that has an element for each reason.
    package var index: Int { Int(rawValue) }

    /// Stated, since other modules would look derived ones up in the table of the conformance at each comparison.
    package static func == (left: Reason, right: Reason) -> Bool { left.rawValue == right.rawValue }
    package static func != (left: Reason, right: Reason) -> Bool { left.rawValue != right.rawValue }

    package var code: String { Reason.table[index].code }
    package var status: Int { Reason.table[index].status }
    package var meaning: String { Reason.table[index].meaning }
    package var description: String { code }

    /// Whether a route without an upstream has answered, or a listener without routes.
    package var isOfRoute: Bool { self == .redirected || self == .responded }

    /// Whether the request was served, which no refusal, failure or early end is.
    package var isServed: Bool { index <= Reason.registrationEnded.index }

    /// What clients see. All 401s share one, so that a reply does not tell an unknown token from an expired one, nor a
    /// wrong user from a wrong password.
    package var publicCode: String { status == 401 ? "unauthorized" : code }
}
