/**
 * Finds files of a session's work folder for a prompt (CMD-10). It has its own lookers, so a folder that does not answer, or
 * an endless tree, does not delay any other look of the daemon.
 */
import { CodedError, type FilesReply } from '@roundhouse/backend-types'
import type { SessionFiles } from '../../host-contract/paths'
import { workFolderOf } from '../../host-contract/work-folder'
import type { Policy } from '../../policy/policy'
import { PathLooker } from './path-looker'

/** How many run or wait at once: a person who types asks again anyway. */
const MOST_ASKED = 8

export class WorkFiles {
  private readonly looker: PathLooker
  private asked = 0

  /** `entry`: `look.js`. */
  constructor(
    entry: string,
    private readonly rules: () => Pick<Policy, 'roots' | 'denyPaths'> & { agentPlaces: readonly string[] },
    private readonly filesOf: (sessionId: string) => SessionFiles,
    limitMs = 2_000,
  ) {
    this.looker = new PathLooker({ entry, most: 2, limitMs, idleMs: 30_000 })
  }

  async find(sessionId: string, query: string): Promise<FilesReply> {
    const folder = workFolderOf(this.filesOf(sessionId))
    if (folder === null) throw new CodedError('SESSION_NOT_FOUND')
    if (this.asked >= MOST_ASKED) throw new CodedError('RATE_LIMITED')
    const { roots, denyPaths, agentPlaces } = this.rules()
    this.asked++
    try {
      return await this.looker.see({ look: 'files', folder, roots, denied: [...denyPaths, ...agentPlaces], query })
    } finally {
      this.asked--
    }
  }

  close(): void {
    this.looker.close()
  }
}
