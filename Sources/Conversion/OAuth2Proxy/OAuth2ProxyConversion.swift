import Bytes
import Declaration

/// Makes a configuration of settings of oauth2-proxy. What has no equivalent is refused by the result, never admitted.
package struct OAuth2ProxyConversion {
    /// What a file that a setting names has.
    package typealias FileReader = (_ path: String) -> [UInt8]?

    static let providerName = "idp"

    var result = ConvertedConfiguration()
    /// Where browsers reach the gateway.
    var baseURL = ""
    /// Why paths that need a login are refused; empty if they are not.
    var denials: [String] = []
    /// Roles of which a caller needs each, and one.
    var (allRoles, anyRoles): ([String], [String]) = ([], [])
    /// Sources of roles in the claims, and roles that their values stand for.
    var roleSources: [JSONNode] = []
    var roleMappings: [JSONNode] = []
    /// The claim with the e-mail address, which is the user's name.
    var emailClaim = "email"
    /// Whether whole addresses are sources of roles.
    var hasAddresses = false
    /// Whether there is a provider that browsers can log in at.
    var hasProvider = false
    /// The entry of the provider, without roles.
    var providerEntry: [(name: String, value: JSONNode)]?
    /// Whether groups have the roles of Keycloak beside them.
    var keycloak = false
    let readFile: FileReader
    private var settings: [SettingsText.Setting] = []
    private let isEnvironment: Set<String>
    private let defaultPlace: String

    /// - Parameter files: variables go before keys of files, as in oauth2-proxy.
    /// - Throws: if a setting is given by two files of the same kind, or has a value that is not read for certain.
    package static func convert(
        _ files: [SettingsText], readFile: @escaping FileReader
    ) throws(ConversionFailure) -> ConvertedConfiguration {
        var conversion = try OAuth2ProxyConversion(files, readFile)
        try conversion.checkValues()
        conversion.denyUnknown()
        conversion.convertListeners()
        conversion.convertProvider()
        conversion.convertUsers()
        conversion.convertTokens()
        conversion.convertStore()
        conversion.convertRoutes()
        conversion.convertOthers()
        return conversion.result
    }

    private init(_ files: [SettingsText], _ readFile: @escaping FileReader) throws(ConversionFailure) {
        self.readFile = readFile
        let ordered = files.filter { !$0.isEnvironment } + files.filter(\.isEnvironment)
        var names: [String: Bool] = [:]
        for file in ordered {
            for setting in file.settings {
                if names[setting.name] == file.isEnvironment {
                    throw ConversionFailure(place: setting.place, message: "\(setting.name) is given by two files")
                }
                // An empty variable leaves the key of the file as it is, as in oauth2-proxy.
                if file.isEnvironment, setting.values == [""] {
                    result.report.add(.unneeded, setting.place, setting.name, "it is empty, and counts as absent")
                    continue
                }
                names[setting.name] = file.isEnvironment
                settings.removeAll { $0.name == setting.name }
                settings.append(setting)
            }
        }
        isEnvironment = Set(names.filter(\.value).keys)
        defaultPlace = files.first?.settings.first?.place.prefix { $0 != ":" }.description ?? "default"
    }

    // MARK: Settings

    /// A setting, which is taken from those that are left.
    mutating func take(_ name: String) -> SettingsText.Setting? {
        guard let index = settings.firstIndex(where: { $0.name == name }) else { return nil }
        return settings.remove(at: index)
    }

    /// A text that is not empty.
    mutating func text(_ name: String) -> (text: String, place: String)? {
        guard let setting = take(name) else { return nil }
        guard !setting.isList else {
            deny(setting.place, name, "a list stands where one value is expected")
            return nil
        }
        guard let text = setting.values.first, !text.isEmpty else { return nil }
        return (text, setting.place)
    }

    /// - Parameter standard: where the setting is absent; a value that is no truth value gets a note.
    mutating func flag(_ name: String, _ standard: Bool) -> (value: Bool, place: String?) {
        guard let setting = take(name) else { return (standard, nil) }
        switch setting.values.first?.lowercased() {
        case "true", "1", "t": return (true, setting.place)
        case "false", "0", "f": return (false, setting.place)
        default:
            attention(setting.place, name, "the value is neither true nor false, and is not translated")
            return (standard, nil)
        }
    }

    func has(_ name: String) -> Bool { settings.contains { $0.name == name } }

    func isVariable(_ name: String) -> Bool { isEnvironment.contains(name) }

    /// A duration in the form of the gateway.
    mutating func duration(_ name: String) -> (text: String, milliseconds: Int, place: String)? {
        guard let (text, place) = text(name), let milliseconds = GoDuration.milliseconds(text) else { return nil }
        return (GoDuration.text(milliseconds), milliseconds, place)
    }

    /// Refuses values that could be read in two ways, where a guess would admit more than the original.
    private func checkValues() throws(ConversionFailure) {
        for setting in settings {
            if OAuth2ProxySettings.durations.contains(setting.name), let text = setting.values.first, !text.isEmpty,
                setting.isList || GoDuration.milliseconds(text) == nil
            {
                throw ConversionFailure(
                    place: setting.place, message: "\(setting.name): \"\(text)\" is no duration such as 1h30m or 1.5h")
            }
            if OAuth2ProxySettings.lists.contains(setting.name),
                let element = setting.elements.first(where: { $0 != $0.trimmingBlanks })
            {
                throw ConversionFailure(
                    place: setting.place, message: "\(setting.name): \"\(element)\" has blanks at its ends; remove them"
                )
            }
        }
    }

    /// Refuses all paths that need a login for each unknown setting, which may be a restriction.
    private mutating func denyUnknown() {
        for setting in settings where !OAuth2ProxySettings.isKnown(setting.name) {
            _ = take(setting.name)
            let near = Suggestion.nearest(to: setting.name, among: OAuth2ProxySettings.others.keys.sorted())
            deny(
                setting.place, setting.name,
                "unknown setting, and all paths that need a login are refused"
                    + (near.map { "; did you mean \($0)?" } ?? "; remove it if oauth2-proxy does not know it either"))
        }
    }

    // MARK: Notes

    mutating func translated(_ place: String?, _ setting: String, _ text: String) {
        if let place { result.report.add(.translated, place, setting, text) }
    }

    mutating func attention(_ place: String?, _ setting: String, _ text: String) {
        result.report.add(.attention, place ?? defaultPlace, setting, text)
    }

    mutating func open(_ place: String?, _ setting: String, _ text: String) {
        result.report.add(.open, place ?? defaultPlace, setting, text)
    }

    /// Refuses all paths that need a login.
    mutating func deny(_ place: String?, _ setting: String, _ text: String) {
        denials.append(setting)
        attention(place, setting, text)
    }

    mutating func section(_ name: String, _ value: JSONNode) { result.sections.append((name, value)) }

    /// A reference to a secret that a file or variable of the original has.
    mutating func secret(_ name: String) -> JSONNode? {
        if let (path, place) = text(name + "_file") {
            _ = take(name)
            translated(place, name + "_file", "the same file, by \"file:\"")
            if !path.hasPrefix("/") {
                open(place, name + "_file", "the name is relative to the new directory now; write the absolute one")
            }
            return .text("file:\(path)")
        }
        guard let (_, place) = text(name) else { return nil }
        let variable = "OAUTH2_PROXY_\(name.uppercased())"
        result.variables.append(variable)
        if isVariable(name) {
            translated(place, name, "the same variable, by \"env:\"")
        } else {
            open(place, name, "secrets are not copied; set the variable \(variable) of the gateway's environment")
        }
        return .text("env:\(variable)")
    }

    // MARK: Others

    /// Notes for the settings that are left.
    private mutating func convertOthers() {
        for setting in settings {
            switch OAuth2ProxySettings.others[setting.name] {
            case .unneeded(let text): result.report.add(.unneeded, setting.place, setting.name, text)
            case .unneededIf(let value, let text, let otherwise):
                let isUsual = setting.values.first == value || setting.values.first == ""
                result.report.add(
                    isUsual ? .unneeded : .attention, setting.place, setting.name, isUsual ? text : otherwise)
            case .attention(let text): attention(setting.place, setting.name, text)
            case nil: attention(setting.place, setting.name, "it is not translated")
            }
        }
        settings = []
    }
}

/// Durations as Go writes them: `1h30m`, `168h0m0s`, `250ms`, `1.5h`.
enum GoDuration {
    /// - Returns: nil for a text that is no duration, or has fractions of a millisecond.
    static func milliseconds(_ text: String) -> Int? {
        var rest = Substring(text)
        var total = 0
        guard !rest.isEmpty else { return nil }
        if rest == "0" { return 0 }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            var fraction = Substring()
            if rest.first == "." {
                fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(fraction.count + 1)
            }
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            let units = ["h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1]
            guard let number = Int(digits), let factor = units[String(unit)], number <= 10_000_000,
                fraction.count <= 6
            else { return nil }
            let scale = fraction.reduce(1) { scale, _ in scale * 10 }
            let part = (Int(fraction) ?? 0) * factor
            guard part.isMultiple(of: scale) else { return nil }
            let (sum, isTooLarge) = total.addingReportingOverflow(number * factor + part / scale)
            if isTooLarge { return nil }
            total = sum
        }
        return total
    }

    /// The duration in the largest unit of which it is a multiple.
    static func text(_ milliseconds: Int) -> String {
        let units = [("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        if milliseconds == 0 { return "0s" }
        let unit = units.first { milliseconds % $0.1 == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.1)\(unit.0)"
    }
}
