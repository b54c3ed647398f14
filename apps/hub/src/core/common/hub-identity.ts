import type { KeyObject } from 'node:crypto'

/** The hub's identity for agents and cursors. */
export interface HubIdentity {
  hubId: string
  /** Changes when the data was restored from a backup (REB-2). */
  hubEpoch(): string
  /** Raw 32 bytes of Ed25519, base64url. */
  publicKey: string
  /** The short form of the key, which both ends print. */
  keyFingerprint: string
}

/** The identity inside the core, with the private key. */
export interface OwnHub {
  hubId: string
  hubEpoch: string
  /** This process has changed the epoch or is about to (REB-2). */
  changedEpoch: boolean
  changingEpoch: Promise<void> | null
  publicKey: string
  privateKey: KeyObject
  /** Origins under which agents may know this hub. The first is shown to people. */
  urls: () => readonly string[]
}
