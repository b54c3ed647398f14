/** Hubs and machines on small disks that fill up, with the checks for tests of that: one of each per test, removed after it. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { CommandMade } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import { eventsOf, logOf } from '../accounts/ledger'
import { openViewer, type Viewer } from '../accounts/viewer'
import { repoRoot } from '../common/paths'
import { until } from '../common/until'
import { type SmallDisk, smallDisk } from '../damage/failing-disk'
import { faultsOf, settled } from './accounts'
import { type Machine, Place } from './place'

const probe = smallDisk(1)
if (typeof probe !== 'string') probe.close()
/** Small file systems are not available here. */
export const noDisk = typeof probe === 'string'

/** Lasts longer than any test, however slow the machine: `OnDisks.stop` ends it. */
export const endless = (prefix: string) => counting(prefix, 50_000)

/**
 * The same for a session whose host is killed. Its texts are long: so few fit into the pipe of a host that no longer
 * reads that the program's own transcript, which ends at 200, still has all of them.
 */
export const wordy = (prefix: string) => endless(`${'so many words '.repeat(120)}${prefix}`)

export const counting = (prefix: string, to = 250, delayMs = 8) => [
  { count: { to, delayMs, prefix } },
  { text: `${prefix} ends.` },
]
export const writing = (file: string) => [
  { text: `Before ${file}.` },
  { tool: 'Write', input: { file_path: file, content: 'x' } },
  { text: `After ${file}.` },
]
/** A refusal that names the disk. */
export const aCode = /^refused (DISK|STORAGE|STATE|NO_SPACE|MACHINE)/

export const saysDisk = /disk|no space|DISK_FULL/i

export interface Where {
  hub?: SmallDisk
  agent?: SmallDisk
  hubEnv?: Record<string, string>
  env?: Record<string, string>
  hubData?: string
  agentHome?: string
}

/** Other processes write meanwhile. If they were faster, the disk is full as intended. */
export function fill(disk: SmallDisk, leaveBytes = 0): void {
  try {
    disk.fill(leaveBytes)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
}

export class OnDisks {
  #place: Place | null = null
  #machine: Machine | null = null
  #disks: SmallDisk[] = []
  #viewers: Viewer[] = []

  get place(): Place {
    if (!this.#place) throw new Error('nothing has begun')
    return this.#place
  }

  get machine(): Machine {
    if (!this.#machine) throw new Error('nothing has begun')
    return this.#machine
  }

  async end(): Promise<void> {
    for (const viewer of this.#viewers) viewer.close()
    for (const disk of this.#disks) disk.free()
    try {
      await this.#place?.dispose()
    } finally {
      for (const disk of this.#disks) disk.close()
      this.#place = null
      this.#machine = null
      this.#disks = []
      this.#viewers = []
    }
  }

  small(mebibytes: number): SmallDisk {
    const disk = smallDisk(mebibytes)
    if (typeof disk === 'string') throw new Error(disk)
    this.#disks.push(disk)
    return disk
  }

  /** Starts a hub and a machine. If a disk is named, its folder is on that disk. */
  async begin({ hub, agent, hubEnv = {}, env = {}, agentHome, hubData }: Where = {}): Promise<void> {
    const started = await Place.start({
      ...(hub ? { hubData: path.join(hub.folder, 'hub') } : hubData ? { hubData } : {}),
      hubEnv,
    })
    this.#place = started
    this.#machine = await started.join('workbench', {
      ...(agent ? { home: path.join(agent.folder, 'agent') } : agentHome ? { home: agentHome } : {}),
      up: ['--idle-ms', '500'],
      policy: { limits: { runningSessions: 20 } },
      env,
    })
  }

  async watched(sessionId: string): Promise<Viewer> {
    const viewer = await openViewer(this.place.hub, sessionId)
    this.#viewers.push(viewer)
    return viewer
  }

  written(file: string): boolean {
    return existsSync(path.join(this.machine.workDir, file))
  }

  async statusOf(sessionId: string) {
    return (await this.place.rest.snapshot(sessionId, 1)).session.status
  }

  streams(sessionId: string, events = 10) {
    return this.orSay(until('it to stream', () => this.place.rows(sessionId).length > events))
  }

  asked(sessionId: string) {
    return this.orSay(this.place.asked(sessionId))
  }

  /** The log without texts, and the output of its hosts and the daemon. */
  private story(sessionId: string): string {
    const folder = this.machine.agent.sessionFolder(sessionId)
    const events = eventsOf(logOf(folder)).filter(({ kind }) => kind !== 'assistant_text')
    const hosts = path.join(folder, 'host.log')
    const said = [existsSync(hosts) ? readFileSync(hosts, 'utf8') : '', this.machine.agent.output]
    return [sessionId, ...events.map((event) => JSON.stringify(event)), ...said.map((one) => one.slice(-6_000))].join(
      '\n',
    )
  }

  /** On failure, adds the output of the daemon and the hub. */
  private orSay<T>(wait: Promise<T>): Promise<T> {
    return wait.catch((error: Error) => {
      const said = [this.machine.agent, this.place.hub].map(({ output }) => output.slice(-3_000))
      throw new Error([error.message, ...said].join('\n'), { cause: error.cause })
    })
  }

  async resting(text: string): Promise<string> {
    const sessionId = await this.place.begin(this.machine, [{ text }])
    await until('its answer', () => this.place.texts(sessionId).includes(text))
    await until('it to sleep', () => !existsSync(path.join(this.machine.agent.sessionFolder(sessionId), 'host.json')))
    return sessionId
  }

  /** The result of a piece of work that a person requested: the code of its refusal, or the command's state. */
  async fate(asked: Promise<CommandMade>, waitMs = 6_000): Promise<string> {
    const made = await asked.catch((error: { code?: string }) => error)
    if (!('commandId' in made)) return `refused ${made.code}`
    let last = ''
    const look = async () => {
      const { commands } = (await this.place.rest.snapshot(made.sessionId, 1)).session
      const command = commands.find(({ commandId }) => commandId === made.commandId)
      last = command ? `${command.state} ${command.error?.code ?? ''}`.trim() : 'done'
      return !['pending', 'sent'].includes(last)
    }
    await until('an answer', look, waitMs).catch(() => {})
    return last
  }
  async request(sessionId: string, requestId: string) {
    return (await this.place.rest.snapshot(sessionId, 1)).session.requests.find(
      ({ ask }) => ask.requestId === requestId,
    )
  }

  /** Decides until the decision has arrived, like a person who is told that it did not or who sees the request again. */
  async decided(sessionId: string, file: string): Promise<void> {
    await until(`the decision about ${file} to be applied`, async () => {
      const { requests } = (await this.place.rest.snapshot(sessionId, 1)).session
      for (const { ask, decision, outcome } of requests)
        if (!decision && outcome === 'open') await this.place.allow(ask).catch(() => {})
      return this.outcomes(sessionId).includes('applied')
    })
    expect(this.outcomes(sessionId).filter((outcome) => outcome === 'applied')).toEqual(['applied'])
    await until('the file', () => this.written(file))
  }

  /** Stops it as a person does. */
  async stop(sessionId: string): Promise<void> {
    await until('the hub to take that', async () => (await this.ready()) === '200')
    const turn = async () => (await this.place.rest.snapshot(sessionId, 1)).session.turnId
    const turnId = await turn()
    if (turnId === undefined) throw new Error('no turn is left to be stopped')
    await this.place.rest.interrupt(sessionId, turnId)
    await until('its turn to end', async () => (await turn()) === undefined)
  }

  outcomes(sessionId: string) {
    return this.place
      .events(sessionId)
      .flatMap((event) => (event.kind === 'permission_resolved' ? [event.outcome] : []))
  }

  async noFaults(sessionId: string, viewer?: Viewer): Promise<void> {
    await settled(this.place, this.machine, sessionId)
    const faults = await faultsOf(this.place, this.machine, sessionId, viewer)
    expect(faults, this.story(sessionId)).toEqual([])
  }

  /** Everything that the API says about the machine, except for this checkout's path. */
  async words(): Promise<string> {
    return JSON.stringify(await this.place.view(this.machine)).replaceAll(repoRoot, '')
  }

  /** 200, or the code with which the hub says that it accepts nothing. */
  async ready(): Promise<string> {
    const answer = await fetch(`${this.place.hub.url}/api/v1/ready`)
    const { error } = (await answer.json()) as { error?: { code: string; details?: { state?: string } } }
    return error ? `${answer.status} ${error.code} ${error.details?.state}` : String(answer.status)
  }
}
