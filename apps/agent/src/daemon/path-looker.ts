/**
 * Looks at folders of people without waiting for them (FLOW-7): each look is done by a process of its own, which is ended
 * when the folder does not answer. One that is ended but stuck in the kernel counts until it is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { CodedError, type ErrorBody, fromErrorBody, isLack, outOfResources } from '@roundhouse/backend-types'
import { requireProgram } from '../files/require-program'
import type { Look, Seen } from './look'

export interface PathLookerOptions {
  /** `look.js`. */
  entry: string
  /** How long a folder may take, and how long a look waits for others. */
  limitMs?: number
  /** Processes at once. */
  most?: number
  /** A process that nobody asks anything goes after this time. */
  idleMs?: number
}

interface Looker {
  child: ChildProcess
  answered: ((line: string) => void) | null
  idleTimer: NodeJS.Timeout | null
}

export class PathLooker {
  private readonly options: Required<PathLookerOptions>
  private readonly all = new Set<Looker>()
  private readonly idle: Looker[] = []
  private readonly waiting: Array<() => void> = []

  constructor(options: PathLookerOptions) {
    this.options = { limitMs: 3_000, most: 4, idleMs: 10_000, ...options }
  }

  /** Throws `FOLDER_UNAVAILABLE`, `OUT_OF_RESOURCES`, or what the look itself found. */
  async see<K extends Look['look']>(look: Extract<Look, { look: K }>): Promise<Seen[K]> {
    const looker = await this.free()
    const line = await this.ask(looker, JSON.stringify(look))
    const { seen, error } = JSON.parse(line) as { seen?: Seen[K]; error?: ErrorBody }
    if (error) throw fromErrorBody(error)
    return seen as Seen[K]
  }

  close(): void {
    for (const { child } of this.all) child.kill('SIGKILL')
  }

  private async free(): Promise<Looker> {
    while (this.idle.length === 0 && this.all.size >= this.options.most) await this.turn()
    const looker = this.idle.pop() ?? this.start()
    if (looker.idleTimer) clearTimeout(looker.idleTimer)
    return looker
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(mine), 1)
        reject(unavailable('Other folders of this machine do not answer.'))
      }, this.options.limitMs)
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
    const looker: Looker = { child, answered: null, idleTimer: null }
    this.all.add(looker)
    const gone = () => this.gone(looker)
    child.once('exit', gone).once('error', gone)
    child.unref()
    // Where descriptors were missing there are no pipes.
    child.stdin?.on('error', () => {})
    if (child.stdout)
      createInterface({ input: child.stdout })
        .on('line', (line) => looker.answered?.(line))
        .on('error', () => {})
    return looker
  }

  private ask(looker: Looker, question: string): Promise<string> {
    const { child } = looker
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        settle(() => reject(unavailable('The folder does not answer.')))
      }, this.options.limitMs)
      const settle = (how: () => void) => {
        clearTimeout(timer)
        child.off('exit', ended).off('error', failed)
        looker.answered = null
        how()
      }
      const ended = () => settle(() => reject(unavailable('The folder could not be looked at.')))
      const failed = (error: unknown) => settle(() => reject(notStarted(error)))
      child.once('exit', ended).once('error', failed)
      looker.answered = (line) => {
        settle(() => resolve(line))
        this.rests(looker)
      }
      child.stdin?.write(`${question}\n`)
    })
  }

  private rests(looker: Looker): void {
    looker.idleTimer = setTimeout(() => looker.child.kill('SIGKILL'), this.options.idleMs)
    looker.idleTimer.unref()
    this.idle.push(looker)
    this.waiting.shift()?.()
  }

  private gone(looker: Looker): void {
    if (looker.idleTimer) clearTimeout(looker.idleTimer)
    this.all.delete(looker)
    const at = this.idle.indexOf(looker)
    if (at >= 0) this.idle.splice(at, 1)
    this.waiting.shift()?.()
  }
}

const unavailable = (message: string): CodedError => new CodedError('FOLDER_UNAVAILABLE', message)

const notStarted = (error: unknown): CodedError =>
  isLack(error) ? outOfResources(error) : new CodedError('INTERNAL', 'No folder can be looked at.', undefined, error)
