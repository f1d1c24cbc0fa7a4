import Testing

@Test func placeholderIdentity() {}
