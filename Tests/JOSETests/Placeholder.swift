import Testing

@Test func placeholderJOSE() {}
