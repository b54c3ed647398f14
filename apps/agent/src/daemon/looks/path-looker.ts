/**
 * Looks at paths of people and programs without waiting for them (FLOW-7). A separate process performs each look, and is
 * ended if the path does not answer. An ended process that is stuck in the kernel counts until it is gone, and no other
 * process is sent to the same path until then.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { CodedError, type ErrorBody, fromErrorBody, isLack, outOfResources } from '@roundhouse/backend-types'
import { isInside } from '../../files/is-inside'
import { requireProgram } from '../../files/require-program'
import { type Look, placesOf, type Seen } from './looks'

export interface PathLookerOptions {
  /** `look.js`. */
  entry: string
  /** How long a folder may take, and how long a look waits for others. */
  limitMs?: number
  /** Processes at once. */
  most?: number
  /** An idle process exits after this time. */
  idleMs?: number
}

interface Looker {
  child: ChildProcess
  said: ((line: string) => void) | null
  idleTimer: NodeJS.Timeout | null
  /** The process has started. From then on, the folder takes the time. */
  isUp: boolean
  hasAnswered: boolean
  /** The current look. */
  places: readonly string[]
  /** It was ended at this place and is not gone yet. */
  hungAt: string | null
}

/** `ready` once, then for each look the current place and the result. */
type Line = { ready?: true; at?: string; seen?: unknown; error?: ErrorBody }

/** The start time of a process on a busy machine. */
const START_MS = 20_000

export class PathLooker {
  private readonly options: Required<PathLookerOptions>
  private readonly all = new Set<Looker>()
  private readonly idle: Looker[] = []
  private waiting: Array<() => void> = []

  constructor(options: PathLookerOptions) {
    this.options = { limitMs: 3_000, most: 4, idleMs: 10_000, ...options }
  }

  /** Throws `FOLDER_UNAVAILABLE`, `OUT_OF_RESOURCES`, or the error of the look itself. */
  async see<K extends Look['look']>(look: Extract<Look, { look: K }>): Promise<Seen[K]> {
    const places = placesOf(look)
    for (;;) {
      const looker = await this.free(places)
      const isOld = looker.hasAnswered
      const line = await this.ask(looker, places, JSON.stringify(look))
      if (line?.error) throw fromErrorBody(line.error)
      if (line) return line.seen as Seen[K]
      // A process that had answered before may have been about to exit anyway.
      if (!isOld) throw unavailable('The folder could not be looked at.')
    }
  }

  close(): void {
    for (const { child } of this.all) child.kill('SIGKILL')
  }

  private async free(places: readonly string[]): Promise<Looker> {
    const deadline = performance.now() + this.options.limitMs
    while (this.isTaken(places)) await this.turn(places, deadline)
    const looker = this.idle.pop() ?? this.start()
    if (looker.idleTimer) clearTimeout(looker.idleTimer)
    looker.places = places
    return looker
  }

  /** True if no looker is free, or one is at this place already. Throws if one hangs there. */
  private isTaken(places: readonly string[]): boolean {
    for (const { hungAt } of this.all) {
      if (hungAt !== null && places.some((place) => isInside(place, hungAt))) throw noAnswer(hungAt)
    }
    if (places.some((place) => this.isLookedAt(place))) return true
    return this.idle.length === 0 && this.all.size >= this.options.most
  }

  private isLookedAt(place: string): boolean {
    return [...this.all].some(({ places }) => places.includes(place))
  }

  private turn(places: readonly string[], deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== mine)
        const same = places.find((place) => this.isLookedAt(place))
        reject(same ? noAnswer(same) : unavailable('Other folders of this machine do not answer.'))
      }, deadline - performance.now())
      this.waiting.push(mine)
    })
  }

  private start(): Looker {
    requireProgram(this.options.entry)
    let child: ChildProcess
    try {
      child = spawn(process.execPath, [this.options.entry], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
    } catch (error) {
      throw notStarted(error)
    }
    const looker: Looker = {
      child,
      said: null,
      idleTimer: null,
      isUp: false,
      hasAnswered: false,
      places: [],
      hungAt: null,
    }
    this.all.add(looker)
    const gone = () => this.gone(looker)
    child.once('exit', gone).once('error', gone)
    child.unref()
    // If descriptors ran out, there are no pipes.
    child.stdin?.on('error', () => {})
    if (child.stdout)
      createInterface({ input: child.stdout })
        .on('line', (line) => looker.said?.(line))
        .on('error', () => {})
    return looker
  }

  /** Null: the process ended before it answered. */
  private ask(looker: Looker, places: readonly string[], question: string): Promise<Line | null> {
    const { child } = looker
    let at = places[0] ?? '/'
    return new Promise((resolve, reject) => {
      const late = () => {
        if (looker.isUp) looker.hungAt = at
        child.kill('SIGKILL')
        settle(() => reject(looker.isUp ? noAnswer(at) : unavailable('No folder can be looked at now.')))
      }
      let timer = setTimeout(late, looker.isUp ? this.options.limitMs : START_MS)
      const settle = (how: () => void) => {
        clearTimeout(timer)
        child.off('exit', ended).off('error', failed)
        looker.said = null
        looker.places = []
        how()
        this.wakeAll()
      }
      const ended = () => settle(() => resolve(null))
      const failed = (error: unknown) => settle(() => reject(notStarted(error)))
      child.once('exit', ended).once('error', failed)
      looker.said = (text) => {
        const line = JSON.parse(text) as Line
        if (line.ready) {
          looker.isUp = true
          clearTimeout(timer)
          timer = setTimeout(late, this.options.limitMs)
        } else if (line.at !== undefined) at = line.at
        else settle(() => this.rests(looker, () => resolve(line)))
      }
      child.stdin?.write(`${question}\n`)
    })
  }

  private rests(looker: Looker, answer: () => void): void {
    looker.hasAnswered = true
    looker.idleTimer = setTimeout(() => this.dismiss(looker), this.options.idleMs)
    looker.idleTimer.unref()
    this.idle.push(looker)
    answer()
  }

  /** From now on it gets no look. */
  private dismiss(looker: Looker): void {
    const at = this.idle.indexOf(looker)
    if (at >= 0) this.idle.splice(at, 1)
    looker.child.kill('SIGKILL')
  }

  private gone(looker: Looker): void {
    if (looker.idleTimer) clearTimeout(looker.idleTimer)
    this.all.delete(looker)
    const at = this.idle.indexOf(looker)
    if (at >= 0) this.idle.splice(at, 1)
    this.wakeAll()
  }

  /** A caller that still finds no looker waits again, in the same order. */
  private wakeAll(): void {
    for (const wake of this.waiting.splice(0)) wake()
  }
}

const unavailable = (message: string, details?: { path: string }): CodedError =>
  new CodedError('FOLDER_UNAVAILABLE', message, details)

const noAnswer = (place: string): CodedError => unavailable(`${place} does not answer.`, { path: place })

const notStarted = (error: unknown): CodedError =>
  isLack(error)
    ? outOfResources(error)
    : new CodedError('INTERNAL', 'The agent cannot read any folder.', undefined, error)
