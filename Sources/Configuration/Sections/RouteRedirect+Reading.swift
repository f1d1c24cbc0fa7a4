import Declaration
import Model

extension RouteRedirect {
    static let shape = Shape.object("a redirect: {\"to\", \"status\"}") { object in
        var redirect = RouteRedirect(
            to: object.required(
                "to", RedirectURL.shape, RedirectURL.expectation, placeholder: .root,
                "The URL: absolute, or a path of the same host."))
        object.read(
            "status", HTTPSRedirect.status(RouteRedirect.statuses), into: &redirect.status,
            "Status: 307 and 308 keep method and body, 301 and 308 are permanent.")
        let path = object.take(
            "keepPath", .flag, default: false,
            "Whether the path of the request, as `rewrite` leaves it, is appended to the URL.")
        let query = object.take(
            "keepQuery", .flag, default: false, "Whether the query of the request is appended to the URL.")
        redirect.keepsPath = path?.read() ?? false
        redirect.keepsQuery = query?.read() ?? false
        for (field, isOn) in [(path?.field, redirect.keepsPath), (query?.field, redirect.keepsQuery)] where isOn {
            guard redirect.target.hasQuery else { continue }
            field?.error("nothing can be appended to a query", expected: "a URL without a query in \"to\"")
        }
        return redirect
    }
}

extension RedirectURL {
    fileprivate static let expectation = "an http or https URL, or a path such as \"/new\""

    fileprivate static let shape = Shape(.pattern("^(https?://[^/?#@]|/([^/]|$))")) { field in
        field.text(expectation).flatMap { RedirectURL($0) ?? field.invalid(expectation) }
    }
}
