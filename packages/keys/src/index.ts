export { fingerprintOf, isSignedBy, type KeyPair, makeKeyPair, readPrivateKey, signText } from './keys'
