import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var ssoTokenShown: Reason { .served("sso_token_shown") }
    package static var ssoTokenPosted: Reason { .served("sso_token_posted") }
    package static var ssoCapture: Reason { .served("sso_capture") }

    // Login pages and single sign-on
    package static var ssoCaptureEmpty: Reason { Reason("sso_capture_empty", 400) }
}
