import Bytes

/// The operator's logo: a small PNG or SVG image, which pages carry as a `data:` URL of an `img` element. Browsers run no
/// scripts of such images and load nothing for them; an SVG image that asks for either is refused all the same.
package struct PageLogo: Sendable, Equatable {
    /// Largest image in bytes. It is in every page, so that a page needs no second request.
    package static let largest = 32_768

    package let mediaType: String
    package let bytes: [UInt8]

    /// Why an image is none that pages may carry.
    package enum Problem: Error, Equatable, Sendable {
        case tooLarge
        /// Neither PNG nor SVG.
        case unknownFormat
        /// Browsers would show the text in its place.
        case undrawable(String)
        /// The image asks for more than to be drawn.
        case active(String)

        package var message: String {
            switch self {
            case .tooLarge: "the image is larger than \(PageLogo.largest) bytes"
            case .unknownFormat: "the file is no PNG or SVG image"
            case .undrawable(let mistake): "browsers do not draw the image: \(mistake)"
            case .active(let part): "the SVG image contains \(part)"
            }
        }
    }

    private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= PageLogo.largest else { throw .tooLarge }
        self.bytes = bytes
        if bytes.starts(with: PageLogo.signatureOfPNG) {
            guard PageLogo.isWhole(bytes) else { throw .undrawable("a part of the PNG file is missing") }
            mediaType = "image/png"
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else { throw .unknownFormat }
        mediaType = "image/svg+xml"
        var scan = SVGScan(text)
        try scan.check()
    }

    /// Whether a PNG file has its parts from the first to the last one, whole (PNG, third edition, section 5).
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        var place = signatureOfPNG.count
        var hasData = false
        while place + 12 <= bytes.count {
            let length = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self)
            guard length <= bytes.count - place - 12, (place == signatureOfPNG.count) == (type == "IHDR"),
                type != "IHDR" || length == 13
            else { return false }
            if type == "IEND" { return hasData }
            if type == "IDAT" { hasData = true }
            place += 12 + length
        }
        return false
    }

    /// A `data:` URL (RFC 2397).
    package var address: String {
        "data:\(mediaType);base64,\(String(decoding: Base64.encode(bytes.span, .standard), as: UTF8.self))"
    }
}
