/**
 * Continues a session whose host is gone, silent or unknown (RES-6): orphans are ended first, then a host in mode `close`
 * writes the end. The caller keeps all work on one session in one queue.
 */
import type { HostClient } from '../../../host-contract/client'
import { isPausedByDisk } from '../../home/disk-watch'
import type { Blockage } from './blockage'
import type { HostAttachment } from './host-attachment'
import { HeldByAnother, whereNoneHolds } from './host-exits'
import type { HostedSessionPorts, Unwritten } from './hosted-session-ports'
import type { Reached } from './reach-host'
import { runThrough } from './run-through'
import type { Blocking } from './why-blocked'

/** How long a command waits for a host that lives and was not found. */
const SEARCH_MS = 10_000

type Orphans = Extract<Blocking, { class: 'orphan' }>
type RecoveryPorts = Pick<HostedSessionPorts, 'processes' | 'records' | 'reports'>

export class HostRecovery {
  /** Its host holds the session, and was not found. */
  stuck = false
  unwritten: Unwritten = {}

  constructor(
    private readonly ports: RecoveryPorts,
    private readonly attachment: HostAttachment,
    private readonly blockage: Blockage,
  ) {}

  /** A host is there: nothing blocks the session any more, and that host knows of what is unwritten. */
  attach(reached: Reached): HostClient {
    this.attachment.accept(reached)
    this.blockage.reason = null
    this.stuck = false
    this.unwritten = {}
    this.attachment.greet(reached)
    return reached.client
  }

  async recover(patienceMs?: number): Promise<void> {
    const { processes, records } = this.ports
    const { sessionId } = this.attachment
    records.noticeMark(sessionId)
    const found = await processes.classify(sessionId, patienceMs)
    this.blockage.reason = null
    this.stuck = found.class === 'stuck'
    if (found.class === 'attached') {
      const door = processes.door(sessionId)
      if (door) this.attach(await this.attachment.reach(door))
    } else if (found.class === 'dead') await this.close()
    // Orphans that are kept: once they have ended by themselves, their end is recorded.
    else if (found.class !== 'orphan' || processes.keepOrphans()) this.blockage.wait(found)
    else await this.endOrphans(found)
  }

  /** Once more for a host that lives and was not found. */
  search(): Promise<void> {
    return this.recover(SEARCH_MS)
  }

  /** Work that needs the session exclusively. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return whereNoneHolds(work, () => this.search())
  }

  recordEnd(): Promise<void> {
    return this.recover().catch((error: unknown) => {
      this.ports.reports.log(`${this.attachment.sessionId}: its end could not be recorded yet: ${String(error)}`)
      this.blockage.lookAgain()
    })
  }

  /** The attached host hung up without a goodbye. */
  noticeDeath(): void {
    if (isPausedByDisk(this.attachment.state)) this.unwritten = { unwritten: true }
  }

  /** False where `isMeant` says no, or the host greets whoever comes anew. `endAsked`: for a command that ends its program. */
  async endSilent(isMeant: () => boolean, endAsked: boolean): Promise<boolean> {
    const { sessionId } = this.attachment
    const { processes, reports } = this.ports
    if (!isMeant() || (!this.attachment.client && !this.stuck)) return false
    if ((await processes.classify(sessionId)).class === 'attached' || !isMeant()) return false
    reports.log(`${sessionId}: its session host does not answer, and is ended`)
    // Nothing read its program's output in the meantime.
    this.unwritten = { unwritten: true, ...(endAsked ? { endAsked } : {}) }
    this.attachment.detach()
    reports.changed(sessionId)
    await processes.reap(sessionId)
    await this.recordEnd()
    return true
  }

  private async endOrphans({ processes, unread }: Orphans): Promise<void> {
    const { sessionId } = this.attachment
    this.ports.reports.log(`${sessionId}: ${processes.length} processes ran without their host and are ended`)
    await this.ports.processes.reap(sessionId)
    if (unread.length === 0) await this.close()
    else this.blockage.wait({ class: 'unread', unread })
  }

  private async close(): Promise<void> {
    try {
      await runThrough({ mode: 'close', ...this.unwritten }, this.attachment, this.ports)
    } catch (error) {
      this.stuck = error instanceof HeldByAnother
      if (this.stuck) return this.blockage.wait({ class: 'stuck' })
      throw error
    }
    this.unwritten = {}
    this.blockage.settled()
    this.ports.records.closed(this.attachment.sessionId)
  }
}
