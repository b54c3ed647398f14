import type { KeyObject } from 'node:crypto'

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

/** The same inside the core, with the key that signs. */
export interface OwnHub {
  hubId: string
  hubEpoch: string
  /** This process has changed it, or is about to (REB-2). */
  changedEpoch: boolean
  changingEpoch: Promise<void> | null
  publicKey: string
  privateKey: KeyObject
  /** Origins under which agents may know this hub; the first is the one to show. */
  urls: () => readonly string[]
}
