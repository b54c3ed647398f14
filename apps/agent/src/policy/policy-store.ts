/**
 * The policy file on disk, reloaded when it is needed and has changed. An invalid file allows nothing, and the error says
 * so. A file that the system cannot read at the moment is read again at the next use. Roots are stored as real paths.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { CodedError, firstFault } from '@roundhouse/backend-types'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { isInside } from '../files/is-inside'
import { passesByItself, unreadable } from '../files/read-if-there'
import { realPlace } from '../files/real-place'
import { writeDurably } from '../files/write-durably'
import { defaultPolicy, Policy } from './policy'
import { whoElseWrites } from './who-else-writes'

export class PolicyStore {
  private stamp = 'never read'
  private policy: Policy = defaultPolicy()
  private problem: CodedError | null = null
  private hangs = false

  /**
   * `home` holds the policy and the agent's key: no root may contain it. `realOf` gives the real paths of the roots, or null
   * where one of them does not answer.
   */
  constructor(
    private readonly file: string,
    private readonly home: string,
    private readonly realOf: (roots: readonly string[]) => string[] | null,
  ) {}

  /**
   * The policy as it is on disk now. Throws `POLICY_DENIED` when the file is there but cannot be understood, and a code that
   * passes when the system does not give it back now.
   */
  current(): Policy {
    this.refresh()
    if (this.problem) throw this.problem
    return this.policy
  }

  /** Some root did not answer when they were last made real: until `readAgain` they count as they are written. */
  get rootsHang(): boolean {
    return this.hangs
  }

  readAgain(): void {
    this.stamp = 'never read'
  }

  write(policy: Policy): void {
    writeDurably(this.file, `${JSON.stringify(policy, null, 2)}\n`)
    this.refresh()
  }

  private refresh(): void {
    const stamp = this.stampOf()
    if (stamp === this.stamp) return
    try {
      this.policy = stamp === 'absent' ? defaultPolicy() : this.read()
      this.problem = null
      this.stamp = stamp
    } catch (cause) {
      const passes = passesByItself(cause)
      this.problem = passes ? unreadable(this.file, cause) : unusable(this.file, cause)
      this.stamp = passes ? 'not read' : stamp
    }
  }

  private read(): Policy {
    const [open] = whoElseWrites(this.file, this.home)
    if (open !== undefined) throw new Error(open)
    // A link may be the owner's own; `whoElseWrites` has judged where it leads.
    const policy = Policy.parse(JSON.parse(readOwnFile(this.file, { links: 'followed' })))
    const own = [realPlace(this.home), realPlace(this.file)]
    const real = this.realOf(policy.roots)
    this.hangs = real === null
    const roots = real ?? policy.roots.map((root) => path.resolve(root))
    const tooWide = roots.find((root) => own.some((place) => isInside(place, root)))
    if (tooWide) throw new Error(`the root ${tooWide} holds the agent's own key and policy`)
    return { ...policy, roots }
  }

  private stampOf(): string {
    if (!existsSync(this.file)) return 'absent'
    const { mtimeMs, ctimeMs, size, dev, ino } = statSync(this.file)
    // A change of its mode is one of ctime alone; what becomes of the folders is none of the file.
    return [mtimeMs, ctimeMs, size, dev, ino, ...whoElseWrites(this.file, this.home)].join(' ')
  }
}

function unusable(file: string, cause: unknown): CodedError {
  const why = cause instanceof z.ZodError ? firstFault(cause, 'file').text : cause instanceof Error ? cause.message : ''
  return new CodedError(
    'POLICY_DENIED',
    `The policy file ${file} cannot be used (${why}), so this machine allows nothing.`,
    { rule: 'policy_file' },
    cause,
  )
}
