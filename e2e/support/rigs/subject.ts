/** One session that a test examines from all sides: its log file, the hub's record of it, its processes. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionEvent, SessionEventOf } from '@roundhouse/backend-types'
import { eventsOf, logOf } from '../accounts/ledger'
import { until } from '../common/until'
import { type MarkedProcess, processesOf } from '../processes/processes'
import type { Rig } from './rig'

export class Subject {
  constructor(
    readonly rig: Rig,
    readonly sessionId: string,
  ) {}

  get events(): SessionEvent[] {
    return eventsOf(logOf(this.rig.system.agent.sessionFolder(this.sessionId)))
  }

  of<K extends SessionEvent['kind']>(kind: K): SessionEventOf<K>[] {
    return this.events.filter((event): event is SessionEventOf<K> => event.kind === kind)
  }

  get texts(): string[] {
    return this.of('assistant_text').map(({ text }) => String(text))
  }

  says(text: string): boolean {
    return this.texts.includes(text)
  }

  async session() {
    return (await this.rig.rest.snapshot(this.sessionId)).session
  }

  openAsk() {
    const isOpen = async () => (await this.session()).requests.find((one) => one.outcome === 'open')
    return until('the request', isOpen)
  }

  async allow(): Promise<void> {
    const { ask } = await this.openAsk()
    await this.rig.rest.decide(ask.requestId, { decision: 'allow', digest: ask.digest })
  }

  get pids() {
    const { agent } = this.rig.system
    return { hostPid: agent.hostPid(this.sessionId), backendPid: agent.backendPid(this.sessionId) }
  }

  /** Where its host listens for the tools of its programs. */
  get toolSocket(): string {
    const { tools } = JSON.parse(
      readFileSync(path.join(this.rig.system.agent.sessionFolder(this.sessionId), 'launch.json'), 'utf8'),
    )
    return tools.socketPath
  }

  /** The program and all its descendants. */
  get programs(): MarkedProcess[] {
    const { hostPid } = this.pids
    return processesOf(this.sessionId).filter(({ pid }) => pid !== hostPid)
  }

  async killProgram(): Promise<void> {
    const before = this.of('process_exited').length
    process.kill(await until('the program', () => this.pids.backendPid), 'SIGKILL')
    await until('its end to be recorded', () => this.of('process_exited').length > before)
  }

  async killHost(): Promise<void> {
    const before = this.of('process_exited').length
    if (!this.rig.system.agent.killHost(this.sessionId)) throw new Error('there was no host')
    await until('its end to be recorded', () => this.of('process_exited').length > before)
  }

  /** Kills both, so that nobody ends the program: a stopped host cannot replace the guard that died. */
  killHostAndGuard(): void {
    const { hostPid } = this.pids
    if (hostPid === undefined) throw new Error('there was no host')
    process.kill(hostPid, 'SIGSTOP')
    process.kill(guardOf(this.sessionId), 'SIGKILL')
    process.kill(hostPid, 'SIGKILL')
  }
}

function guardOf(sessionId: string): number {
  const isGuard = (name: string) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      return args.includes('roundhouse-guard') && args.includes(sessionId)
    } catch {
      return false
    }
  }
  const pid = readdirSync('/proc').find(isGuard)
  if (pid === undefined) throw new Error('there is no guard')
  return Number(pid)
}
