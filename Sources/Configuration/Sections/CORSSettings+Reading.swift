import Model

extension CORSSettings {
    static func read(_ object: inout ObjectReader) -> CORSSettings {
        let headers = Shape.headerName.list("an array of header field names", isUnique: false)
        var settings = CORSSettings()
        object.read(
            "allowCredentials", .flag, into: &settings.allowCredentials,
            "Whether browsers may send cookies and logins (`Access-Control-Allow-Credentials`).")
        let maximumAge = object.value(
            "maxAge", .duration, default: .seconds(600), "How long browsers may keep the answer to a preflight.")
        settings.maxAgeSeconds = Int(maximumAge.components.seconds)
        object.read(
            "allowHeaders", headers, into: &settings.allowHeaders,
            "Request fields that are allowed beyond the built-in list.")
        object.read(
            "exposeHeaders", headers, into: &settings.exposeHeaders,
            "Response fields that scripts may read beyond the built-in list.")
        return settings
    }
}
