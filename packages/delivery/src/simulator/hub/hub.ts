/** The hub process: one database, agents on one side, viewers on the other. */
import type { ErrorBody } from '@roundhouse/backend-types'
import { Disk } from '../world/disk'
import { Channel } from '../world/network'
import { Proc } from '../world/proc'
import type { World } from '../world/world'
import { AgentSide } from './agent-side'
import { emptyDb, type HubDb, newEpoch } from './hub-db'
import { ViewerSide } from './viewer-side'

export type BatchReply = { ok: true; acked: number } | { ok: false; error: ErrorBody }

export class Hub extends Proc {
  readonly disk: Disk<HubDb>
  agents: AgentSide
  viewers: ViewerSide
  restores = 0
  /** Views are counted from it, so that they count on over restarts. */
  starts = 0

  constructor(world: World) {
    super(world, 'hub')
    this.disk = new Disk(world, emptyDb(world.newId('epoch')))
    this.agents = new AgentSide(this)
    this.viewers = new ViewerSide(this)
  }

  get db(): HubDb {
    return this.disk.current
  }

  /** A handshake from outside. It fails when nobody listens or the route is cut. */
  dial<C extends Proc>(
    client: C,
    route: string,
    closed: { client: (channel: Channel<C, Hub>) => void; hub: (channel: Channel<C, Hub>) => void },
    opened: (channel: Channel<C, Hub>) => void,
    failed: () => void,
  ): void {
    const { rng, clock, plan } = this.world
    const answer = client.bound(opened)
    const refuse = client.bound(failed)
    clock.after(rng.between(plan.latencyMs[0], plan.latencyMs[1]), () => {
      if (!this.up || this.world.isCut(route)) clock.after(rng.between(50, 1_000), refuse)
      else answer(new Channel(this.world, client, this, route, closed))
    })
  }

  commit(change: (db: HubDb) => HubDb, done: () => void): void {
    this.disk.write(change)
    this.disk.flush(this, done)
  }

  /** Somebody put the hub back by hand, or a restore command has run: everybody begins again. */
  beginEpoch(): void {
    const epoch = this.world.newId('epoch')
    this.world.trace(() => `hub begins ${epoch}`)
    this.commit(
      (db) => newEpoch(db, epoch, this.world.kernel),
      () => {
        this.agents.closeAll()
        this.viewers.closeAll()
      },
    )
  }

  /** Put back to an older state. */
  restore(backup: HubDb): void {
    this.crash()
    this.restores += 1
    this.world.trace(() => `hub is restored by ${this.world.plan.restoredBy}`)
    this.world.truth.restored(this.world.clock.now)
    const { kernel, plan } = this.world
    this.disk.replace(plan.restoredBy === 'hand' ? backup : newEpoch(backup, this.world.newId('epoch'), kernel))
  }

  protected onStart(): void {
    this.starts += 1
    this.agents = new AgentSide(this)
    this.viewers = new ViewerSide(this)
    for (const session of Object.values(this.db.sessions)) {
      this.world.truth.survived(session.sessionId, session.rows)
      this.world.truth.shown(this.db.epoch, session.sessionId, session.rows)
    }
    this.every(2_000, () => this.agents.commands.expire())
    this.every(5_000, () => this.agents.commands.sendAgain())
    this.every(10_000, () => this.viewers.sendHeads())
  }

  protected onCrash(): void {
    this.agents.closeAll()
    this.viewers.closeAll()
    this.disk.crash()
    this.world.clock.after(this.world.rng.between(100, 3_000), () => this.start())
  }
}
