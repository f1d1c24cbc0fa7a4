import Foundation
import Model

extension WebURL {
    /// A URL that an application, its profile or a server names.
    init(client text: String) throws(ClientError) {
        do throws(WebURL.Problem) {
            try self.init(lenient: text)
        } catch {
            if let mark = text.range(of: "://"), !["http", "https"].contains(text[..<mark.lowerBound].lowercased()) {
                throw ClientError(.unsupportedScheme, "\"\(text)\" is neither http nor https")  // OMS-02
            }
            throw ClientError(
                .invalidURL,
                error == .scheme
                    ? "\"\(text)\" is no absolute URL" : "\"\(text)\" is no URL of a server: \(error.rawValue)")
        }
    }

    /// Scheme, host and port: what tokens are kept for. The port always stands in it.
    var place: String { "\(scheme)://\(origin.urlHost):\(port)" }
}
