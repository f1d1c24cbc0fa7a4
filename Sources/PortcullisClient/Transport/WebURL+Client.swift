import ClientStore
import Model

extension WebURL {
    /// A URL of an application, its profile or a server.
    init(client text: String) throws(ClientError) {
        do throws(WebURL.Problem) {
            try self.init(lenient: text)
        } catch {
            if let mark = text.firstRange(of: "://"),
                !["http", "https"].contains(text[..<mark.lowerBound].lowercased())
            {
                throw ClientError(.unsupportedScheme, "\"\(text)\" is neither http nor https")  // OMS-02
            }
            throw ClientError(
                .invalidURL,
                error == .scheme
                    ? "\"\(text)\" is no absolute URL" : "\"\(text)\" is no URL of a server: \(error.rawValue)")
        }
    }

    /// Scheme, host and port, by which tokens are stored. Always with a port.
    var place: String { "\(scheme)://\(origin.urlHost):\(port)" }
}
