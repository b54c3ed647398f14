/** What the core needs of a store to keep the hub's own row, and the answers that a repeated write gets (CMD-1). */

export interface HubRow {
  hubId: string
  hubEpoch: string
  publicKey: string
  privateKey: string
  revocationVersion: number
  starts: number
}

export interface HubStore {
  revocationVersion(): Promise<number>
  /** Raised with whatever may take rights away from people, whoever wrote it (AUTH-1). */
  rightsVersion(): Promise<number>
  /** Whether every machine that joins waits for a person. */
  requiresApproval(): Promise<boolean>
}

export interface HubWrites {
  requiresApproval(): Promise<boolean>
  setRequiresApproval(requires: boolean): Promise<void>
  bumpRevocationVersion(): Promise<void>
  changeEpoch(hubEpoch: string): Promise<void>
}

export interface AnswerWrites {
  /** The answer is plain data, as it was kept. */
  find(scope: string, key: string): Promise<{ bodyHash: string; answer: unknown } | null>
  keep(row: { scope: string; key: string; bodyHash: string; answer: unknown; createdAt: number }): Promise<void>
  forgetBefore(createdAt: number): Promise<void>
}
