import Testing

@Test func placeholderConfiguration() {}
