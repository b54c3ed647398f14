/** A daemon on a bench of its own, with a hub that plays along: what tests of the daemon begin with, and how they end. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEventBody, type SessionEvent, type SessionEventOf } from '@roundhouse/backend-types'
import { afterEach, beforeEach } from 'vitest'
import type { Daemon } from '../daemon/daemon'
import type { DaemonOptions } from '../daemon/daemon-options'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { AgentBench } from './agent-bench'
import { FakeHub } from './fake-hub'

export class DaemonBench {
  hub!: FakeHub
  bench!: AgentBench
  daemon!: Daemon

  /** For each test of the file: a hub and a machine, and the end of all that was started. Daemons start where asked for. */
  static each(): DaemonBench {
    const it = new DaemonBench()
    beforeEach(() => it.begin())
    afterEach(() => it.end())
    return it
  }

  private async begin(): Promise<void> {
    this.hub = new FakeHub()
    await this.hub.start()
    this.bench = new AgentBench(this.hub)
  }

  private async end(): Promise<void> {
    await this.daemon.endSessions(5_000)
    await this.hub.stop()
    await this.bench.dispose()
  }

  /** Resolves when its machine is in at the hub. */
  async start(fields: Partial<DaemonOptions> = {}): Promise<void> {
    const before = this.hub.hellos.length
    this.daemon = await this.bench.daemon(fields)
    await this.hub.until(() => this.hub.hellos.length > before && this.hub.ready)
  }

  /** Its hosts run on meanwhile. */
  async restart(fields: Partial<DaemonOptions> = {}): Promise<void> {
    await this.daemon.leave()
    await this.start(fields)
  }

  /** Starts a session with this prompt. */
  create(sessionId: string, prompt: string) {
    return this.hub.command(this.bench.create(sessionId, prompt))
  }

  /** As the hub has them. */
  events(sessionId: string): SessionEvent[] {
    return (this.hub.sessions.get(sessionId) ?? []).flatMap(
      ({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [],
    )
  }

  of<K extends SessionEvent['kind']>(sessionId: string, kind: K): SessionEventOf<K>[] {
    return this.events(sessionId).filter((event): event is SessionEventOf<K> => event.kind === kind)
  }

  has(sessionId: string, kind: SessionEvent['kind'], count = 1): Promise<void> {
    return this.hub.until(() => this.of(sessionId, kind).length >= count)
  }

  /** Every session that was ever begun has said that it rests, and no host runs. */
  async rests(): Promise<void> {
    const isIdle = (sessionId: string) => {
      const state = this.hub.states.findLast((one) => one.sessionId === sessionId)
      return JSON.stringify(state?.status)?.includes('"why":"idle"') === true
    }
    await this.hub.until(() => this.bench.sessionIds().every(isIdle) && this.daemon.liveSessions().length === 0)
  }

  folder(sessionId: string): string {
    return path.join(this.bench.home.sessions, sessionId)
  }

  record(sessionId: string): HostRecord {
    return HostRecord.parse(JSON.parse(readFileSync(sessionFiles(this.folder(sessionId)).host, 'utf8')))
  }
}
