/// The one list of families.
enum CompatibilityFamilies {
    static func all() -> [any CompatibilityFamily] {
        [MobileSocialFamily(), ApplicationFamily(), UserProfileFamily(), SignOnFamily()]
    }
}
