import Foundation

/// Header and claims of a compact JWT, read without a look at the signature.
struct JSONWebToken {
    let header: JSONText
    let claims: JSONText

    init(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { Self.decode(String($0)) }
        header = JSONText(parts.first ?? "")
        claims = JSONText(parts.count == 3 ? parts[1] : "")
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func decode(_ text: String) -> String {
        var standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while standard.count % 4 != 0 { standard += "=" }
        return String(decoding: Data(base64Encoded: standard) ?? Data(), as: UTF8.self)
    }
}
