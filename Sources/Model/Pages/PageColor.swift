/// A colour of sRGB, with the contrast of WCAG 2.2.
package struct PageColor: Sendable, Equatable, CustomStringConvertible {
    package let red, green, blue: UInt8

    package static let white = PageColor(red: 255, green: 255, blue: 255)
    package static let black = PageColor(red: 0, green: 0, blue: 0)
    /// Background of dark pages.
    package static let night = PageColor(red: 18, green: 18, blue: 18)
    /// Lowest contrast of text (WCAG 2.2, success criterion 1.4.3).
    package static let lowestContrast = 4.5

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// `#rrggbb`; nil for other text.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
        let digits = bytes.dropFirst().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 6 else { return nil }
        let parts = stride(from: 0, to: 6, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        self.init(red: parts[0], green: parts[1], blue: parts[2])
    }

    package var description: String {
        let digits = Array("0123456789abcdef")
        return "#" + [red, green, blue].map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    }

    /// Contrast ratio of two colours, from 1 to 21.
    package func contrast(with other: PageColor) -> Double {
        let (a, b) = (luminance, other.luminance)
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    /// The nearest mixture with another colour that has at least this contrast with a third one. The other colour has it.
    package func mixed(with other: PageColor, until ratio: Double, on background: PageColor) -> PageColor {
        for step in 0...100 {
            let mixture = mixed(with: other, hundredths: step)
            if mixture.contrast(with: background) >= ratio { return mixture }
        }
        return other
    }

    private func mixed(with other: PageColor, hundredths share: Int) -> PageColor {
        func part(_ one: UInt8, _ two: UInt8) -> UInt8 { UInt8((Int(one) * (100 - share) + Int(two) * share) / 100) }
        return PageColor(red: part(red, other.red), green: part(green, other.green), blue: part(blue, other.blue))
    }

    /// Relative luminance (WCAG 2.2), from 0 to 1.
    private var luminance: Double {
        0.2126 * PageColor.linear(red) + 0.7152 * PageColor.linear(green) + 0.0722 * PageColor.linear(blue)
    }

    /// The linear value of a component.
    private static func linear(_ component: UInt8) -> Double { table[Int(component)] }

    /// The 256 values of `((c + 0.055) / 1.055) ^ 2.4`, or `c / 12.92` for the darkest.
    private static let table: [Double] = (0...255).map { component in
        let value = Double(component) / 255
        if value <= 0.04045 { return value / 12.92 }
        // x^2.4 = x^2 * (x^2)^(1/5), by Newton's iteration for the fifth root: this target has no `pow`.
        let x = (value + 0.055) / 1.055
        let square = x * x
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
        return square * root
    }
}
