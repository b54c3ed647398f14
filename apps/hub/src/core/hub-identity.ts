/** What the hub is, to agents and to cursors. */
export interface HubIdentity {
  hubId: string
  /** Changes when the data was restored from a backup (REB-2). */
  hubEpoch(): string
  /** Raw 32 bytes of Ed25519, base64url. */
  publicKey: string
  /** Short form of the key that both ends print. */
  keyFingerprint: string
}
