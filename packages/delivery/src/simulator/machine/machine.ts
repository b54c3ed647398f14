/** One agent machine: the daemon, a host for each session, and the files that outlive them. */
import type { Hub } from '../hub/hub'
import { Disk } from '../world/disk'
import { uidOf } from '../world/truth'
import type { World } from '../world/world'
import { Daemon } from './daemon'
import { Host } from './host'
import { emptyFile, type SessionFile } from './session-file'

export class Machine {
  readonly hosts = new Map<string, Host>()
  readonly daemon: Daemon
  readonly #backups = new Map<string, SessionFile[]>()

  constructor(
    readonly world: World,
    readonly agentId: string,
    sessions: number,
    hub: Hub,
  ) {
    for (let count = 0; count < sessions; count += 1) {
      const sessionId = world.newId('s')
      const disk = new Disk(world, emptyFile(sessionId, world.newId('log')))
      this.hosts.set(sessionId, new Host(world, sessionId, disk, () => this.daemon))
    }
    this.daemon = new Daemon(world, agentId, this.hosts, hub)
  }

  powerCut(): void {
    for (const host of this.hosts.values()) {
      host.crash()
      host.settle(() => host.disk.crash())
    }
    this.daemon.crash()
  }

  backup(): void {
    for (const [sessionId, { disk }] of this.hosts) {
      this.#backups.set(sessionId, [...(this.#backups.get(sessionId) ?? []), disk.durable])
    }
  }

  /**
   * F19, F21: the log is gone, or back to an older state. The index beside it remembers how long it was, so the next lease
   * holder knows. Not simulated: a state from before a rebase,
   * another loss or a pruning, whose events may be shown a second time.
   */
  loseLog(host: Host): void {
    const { world } = this
    this.powerCut()
    const { head, rebases, rows } = host.disk.durable
    const first = rows[0]?.seq ?? head + 1
    const older = (this.#backups.get(host.sessionId) ?? []).filter(
      (file) => file.rebases === rebases && file.head < head && (file.rows[0]?.seq ?? first) >= first,
    )
    const kept = world.rng.chance(0.3) ? undefined : world.rng.pick(older)
    if (!kept && head === 0) return
    const file = kept ?? { ...emptyFile(host.sessionId, ''), rebases }
    const logId = world.kernel.newLogIdAfterLoss || !kept ? world.newId('log') : file.logId
    world.trace(() => `the log of ${host.sessionId} is back from ${head} to ${file.head} and becomes ${logId}`)
    host.settle(() => host.disk.replace({ ...file, logId, logLost: true }))
    world.truth.logLost(host.sessionId)
    this.#backups.delete(host.sessionId)
  }

  /** REB-3: only what is acked goes, and acked by the hub as it is now: one that was put back may need the rest. */
  prune(host: Host): void {
    const { rows, acked, ackedEpoch } = host.disk.durable
    if (ackedEpoch !== this.daemon.hubEpoch) return
    const upTo = this.world.rng.between(0, acked)
    const pruned = rows.filter((row) => (row.to ?? row.seq) <= upTo)
    this.world.truth.gone(
      pruned.flatMap((row) => uidOf(row) ?? []),
      'pruned',
    )
    host.disk.write((file) => ({ ...file, rows: file.rows.filter((row) => (row.to ?? row.seq) > upTo) }))
  }
}
