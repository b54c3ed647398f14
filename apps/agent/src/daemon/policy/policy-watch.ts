/** The current policy and kill switch: read from their files at each use, and checked for changes from time to time. */
import { type FolderRule, toCodedError } from '@roundhouse/backend-types'
import type { AgentHome, PolicyFiles } from '../../files/agent-home'
import type { LogLine } from '../../files/log-line'
import { FolderRulesFolder, publicRule } from '../../policy/folder-rules'
import { PauseSwitch } from '../../policy/pause'
import { type Policy, policyDigest, summarizePolicy } from '../../policy/policy'
import { PolicyStore } from '../../policy/policy-store'
import { type LookEntries, lookNow } from '../looks/look-now'
import type { PathLooker } from '../looks/path-looker'
import { nothingAllowed } from './host-policy'

const LOOK_MS = 2_000

/** Watches the policy of this home. */
export function watchPolicy(
  home: PolicyFiles & Pick<AgentHome, 'home'>,
  entries: LookEntries,
  looker: PathLooker,
  log: LogLine,
): PolicyWatch {
  const store = new PolicyStore(home.policyFile, home.home, (roots) =>
    roots.length === 0 ? [] : lookNow(entries, { look: 'roots', roots: [...roots] }),
  )
  const rootsAnswer = (roots: string[]) => looker.see({ look: 'roots', roots })
  const rules = new FolderRulesFolder(home.rulesFolder, home.home, Date.now)
  return new PolicyWatch(store, new PauseSwitch(home.pauseFile), rootsAnswer, log, rules)
}

export class PolicyWatch {
  private timer: NodeJS.Timeout | null = null
  private last = ''
  /** The last problem of the policy file, so that each is reported once. */
  private lastProblem = ''
  private asking = false

  /** `rootsAnswer` rejects while one of the roots does not answer. */
  constructor(
    private readonly store: PolicyStore,
    private readonly pause: PauseSwitch,
    private readonly rootsAnswer: (roots: string[]) => Promise<unknown>,
    private readonly log: LogLine,
    private readonly rules: Pick<FolderRulesFolder, 'all'>,
  ) {}

  /** PERM-13: what runs without asking in a folder, where the policy lets it. */
  folderRules(): FolderRule[] {
    return this.rules.all().map(publicRule)
  }

  /** Throws `POLICY_DENIED` if the file is invalid, and a passing code if it cannot be read now. */
  required(): Policy {
    return this.store.current()
  }

  /** A policy file that cannot be read allows nothing. */
  current(): Policy {
    try {
      const policy = this.store.current()
      this.lastProblem = ''
      return policy
    } catch (error) {
      const { message } = toCodedError(error)
      if (message !== this.lastProblem) this.log(message)
      this.lastProblem = message
      return nothingAllowed
    }
  }

  /** Epoch ms; null while the machine is not paused. */
  pausedSince(): number | null {
    return this.pause.since()
  }

  /** From now on calls `changed` after every change, and `looked` at every check. */
  start(changed: () => void, looked: () => void): void {
    this.last = this.inForce()
    this.sayRootsHang()
    this.timer = setInterval(() => {
      this.look(changed)
      void this.askRoots()
      looked()
    }, LOOK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  private inForce(): string {
    return `${policyDigest(this.current())} ${this.pausedSince()}`
  }

  private look(changed: () => void): void {
    const now = this.inForce()
    if (now === this.last) return
    this.last = now
    const paused = this.pausedSince() === null ? '' : 'paused; '
    this.log(`the policy changed: ${paused}${summarizePolicy(this.current())}`)
    this.sayRootsHang()
    changed()
  }

  private sayRootsHang(): void {
    if (this.store.rootsHang)
      this.log('an allowed folder does not answer; until it does, all folders are compared by their written paths')
  }

  private async askRoots(): Promise<void> {
    if (!this.store.rootsHang || this.asking) return
    this.asking = true
    try {
      await this.rootsAnswer(this.current().roots)
      this.store.readAgain()
    } catch {
      // The next check asks again.
    } finally {
      this.asking = false
    }
  }
}
