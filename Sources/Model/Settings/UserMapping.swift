/// The attribute of local users that an outside token names (`userMappingAttribute`, JWT-24).
package enum UserMapping: String, Sendable, CaseIterable {
    case uid, mail
}
