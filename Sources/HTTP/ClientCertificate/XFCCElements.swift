import Bytes

/// `X-Forwarded-Client-Cert` as Envoy writes it: elements with commas between them, each of pairs with semicolons between
/// them. A value with one of these or `=` in it is quoted.
package enum XFCCElements {
    private struct Pair {
        var key: String
        var value: [UInt8]
    }

    /// The certificate of the first of exactly `hops` elements; nil where there are fewer, since then the client has shown
    /// none to the first proxy.
    static func read(_ text: Span<UInt8>, hops: Int) throws(ClientCertificateFieldError) -> ForwardedCertificate? {
        if text.isEmpty { return nil }
        let elements = try elements(text)
        guard elements.count <= hops else { throw .tooManyElements }
        guard elements.count == hops else { return nil }
        return try certificate(elements[0])
    }

    /// Text about a subject or a name is not looked at: the certificate says it.
    private static func certificate(_ pairs: [Pair]) throws(ClientCertificateFieldError) -> ForwardedCertificate {
        func only(_ key: String) throws(ClientCertificateFieldError) -> [UInt8]? {
            let values = pairs.filter { $0.key == key }
            guard values.count <= 1 else { throw .malformed }
            return values.first?.value
        }
        var told = ForwardedCertificate(digest: try only("hash"))
        _ = try only("subject")
        if let chain = try only("chain") {
            var certificates = try PEMText.certificates(ofEscaped: chain.span)
            told.leaf = certificates.removeFirst()
            told.issuers = certificates
        }
        if let text = try only("cert") {
            let certificates = try PEMText.certificates(ofEscaped: text.span)
            guard certificates.count == 1, told.leaf.isEmpty || told.leaf == certificates[0] else { throw .malformed }
            told.leaf = certificates[0]
        }
        guard !told.leaf.isEmpty else { throw .malformed }
        return told
    }

    private static let keys = ["by", "hash", "cert", "chain", "subject", "uri", "dns"]

    private static func elements(_ text: Span<UInt8>) throws(ClientCertificateFieldError) -> [[Pair]] {
        var elements: [[Pair]] = [[]]
        var place = 0
        while true {
            let pair = try pair(text, &place)
            elements[elements.count - 1].append(pair)
            guard place < text.count else { return elements }
            // A separator: `pair` stops at nothing else.
            let isComma = text[place] == ASCII.comma
            place += 1
            if isComma {
                elements.append([])
                while place < text.count, text[place] == ASCII.space { place += 1 }
            }
        }
    }

    private static func pair(_ text: Span<UInt8>, _ place: inout Int) throws(ClientCertificateFieldError) -> Pair {
        var key: [UInt8] = []
        while place < text.count, ASCII.isLetter(text[place]) {
            key.append(ASCII.lowercased(text[place]))
            place += 1
        }
        let name = String(decoding: key, as: UTF8.self)
        guard place < text.count, text[place] == UInt8(ascii: "="), keys.contains(name) else { throw .malformed }
        place += 1
        var value: [UInt8] = []
        if place < text.count, text[place] == ASCII.quote {
            place += 1
            while place < text.count, text[place] != ASCII.quote {
                if text[place] == ASCII.backslash { place += 1 }
                guard place < text.count else { throw .malformed }
                value.append(text[place])
                place += 1
            }
            guard place < text.count else { throw .malformed }
            place += 1
        } else {
            while place < text.count, !isSeparator(text[place]) {
                guard text[place] != ASCII.quote else { throw .malformed }
                value.append(text[place])
                place += 1
            }
        }
        guard place == text.count || isSeparator(text[place]) else { throw .malformed }
        return Pair(key: name, value: value)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == ASCII.comma || byte == UInt8(ascii: ";") }

    /// The element of a certificate, as Envoy writes one.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 in hexadecimal.
    ///   - certificate: in DER form.
    package static func element(
        digest: [UInt8], certificate: [UInt8], subject: String, uris: [String], hosts: [String]
    ) -> [UInt8] {
        var text = Array("Hash=".utf8) + digest + Array(";Cert=\"".utf8)
        PEMText.append(certificate, to: &text)
        text += Array("\";Subject=".utf8)
        appendQuoted(subject, to: &text)
        for uri in uris {
            text += Array(";URI=".utf8)
            appendQuoted(uri, to: &text)
        }
        for host in hosts {
            text += Array(";DNS=".utf8)
            appendQuoted(host, to: &text)
        }
        return text
    }

    private static func appendQuoted(_ value: String, to text: inout [UInt8]) {
        text.append(ASCII.quote)
        for byte in value.utf8 {
            // Bytes that no field value has, and others that some readers do not take, are left as escapes.
            if byte < 0x20 || byte > 0x7E {
                text += FormEncoding.encode([byte])
                continue
            }
            if byte == ASCII.quote || byte == ASCII.backslash { text.append(ASCII.backslash) }
            text.append(byte)
        }
        text.append(ASCII.quote)
    }
}
