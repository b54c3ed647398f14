/** The store of the hub's own row, and of the answers for repeated writes (CMD-1). */

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
  /** Grows with every change that may take rights away from people, whoever wrote it (AUTH-1). */
  rightsVersion(): Promise<number>
  /** Whether each machine that joins needs a person's approval. */
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
