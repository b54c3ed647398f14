/**
 * The rules that "always allow in this folder" left on this machine (PERM-13): one file for each, beside the policy, and the
 * owner's alone. Several hosts may write and read them at once; each file is made and removed as a whole. The policy is no part
 * of them, and cuts them at each use.
 */
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { CodedError, FolderRule, Id, MOST_FOLDER_RULES } from '@roundhouse/backend-types'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { writeOnce } from '../files/write-once'
import { whoElseWrites } from './who-else-writes'

/** What the machine keeps beside what everybody sees. */
export const KeptRule = FolderRule.extend({
  /** Digest of the action (PERM-8), for a rule of exactly that. */
  actionDigest: z.string(),
  commandId: Id,
})
export type KeptRule = z.infer<typeof KeptRule>

const SUFFIX = '.json'
const MOST_BYTES = 64 * 1024

export class FolderRulesFolder {
  /** `home`: up to there, nobody else may write. */
  constructor(
    private readonly folder: string,
    private readonly home: string,
    private readonly now: () => number,
  ) {}

  /** Those in force, oldest first. One that cannot be read, or that somebody else can change, allows nothing. */
  all(): KeptRule[] {
    const now = this.now()
    return this.read()
      .filter(({ createdAt, expiresAt }) => createdAt <= now && now < expiresAt)
      .sort((one, other) => one.createdAt - other.createdAt)
  }

  /** There is room for one more. */
  hasRoom(): boolean {
    return this.names().length < MOST_FOLDER_RULES
  }

  /** It is on the disk when this returns. What has expired makes room. */
  keep(rule: KeptRule): void {
    for (const { ruleId, expiresAt } of this.read()) if (expiresAt <= this.now()) this.remove(ruleId)
    if (!this.hasRoom()) throw new CodedError('RATE_LIMITED', `This machine has ${MOST_FOLDER_RULES} rules already.`)
    writeOnce(this.fileOf(rule.ruleId), `${JSON.stringify(rule, null, 2)}\n`)
  }

  /** Null if there is no such rule. */
  revoke(ruleId: string): KeptRule | null {
    if (!Id.safeParse(ruleId).success) return null
    const rule = this.readOne(ruleId)
    const isThere = this.names().includes(`${ruleId}${SUFFIX}`)
    if (isThere) this.remove(ruleId)
    return rule
  }

  private read(): KeptRule[] {
    return this.names().flatMap((name) => this.readOne(name.slice(0, -SUFFIX.length)) ?? [])
  }

  private readOne(ruleId: string): KeptRule | null {
    const file = this.fileOf(ruleId)
    try {
      if (whoElseWrites(file, this.home).length > 0) return null
      const rule = KeptRule.parse(JSON.parse(readOwnFile(file, { most: MOST_BYTES })))
      return rule.ruleId === ruleId ? rule : null
    } catch {
      return null
    }
  }

  private names(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.endsWith(SUFFIX))
    } catch {
      return []
    }
  }

  private remove(ruleId: string): void {
    rmSync(this.fileOf(ruleId), { force: true })
  }

  private fileOf(ruleId: string): string {
    return path.join(this.folder, `${ruleId}${SUFFIX}`)
  }
}

/** The parts of a rule that everybody may see. */
export function publicRule({ actionDigest: _secret, commandId: _decision, ...rule }: KeptRule): FolderRule {
  return rule
}
