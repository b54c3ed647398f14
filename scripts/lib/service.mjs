// A child process that writes a file about itself when it is ready, and is started again when it dies unasked.
//
//   starting --its file says ready--> running --dies--> starting ... --dies young three times--> given up
//   starting --dies or takes too long--> failed            any --stop--> stopped
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { pause, readJson, tailOf } from './process-facts.mjs'
import { PlainError } from './run.mjs'

const logLimitBytes = 10 << 20
const youngMs = 10_000
const deathsAllowed = 3
const pollMs = 50

function openLog(file) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  if (existsSync(file) && statSync(file).size > logLimitBytes) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

export class Service {
  #child = null
  #guarded = false
  #deaths = 0
  #end = () => {}
  #giveUp = () => {}

  /**
   * @param {{ title: string, command: string[], env: Record<string, string | undefined>, cwd: string,
   *   logFile: string | null, readyFile: string, isReady?: (facts: any) => boolean, say: (line: string) => void, restartPauseMs?: number }} options
   */
  constructor(options) {
    this.options = options
    /** Settles once it is down for good, for whatever reason. */
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    /** Settles with a reason when it died too often to be started again. */
    this.gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve
    })
  }

  get pid() {
    return this.#child?.pid
  }

  /** Starts it and returns its own words once it is ready. From then on a death is answered with a new start. */
  async start(limitMs = 60_000) {
    this.#spawn()
    const facts = await this.#whenReady(limitMs)
    this.#guarded = facts !== null
    if (facts !== null) return facts
    this.signal('SIGTERM')
    const { title, logFile } = this.options
    if (logFile === null) throw new PlainError(`${title} did not start.`)
    throw new PlainError(`${tailOf(logFile)}\n${title} did not start; its whole log is ${logFile}`)
  }

  #spawn() {
    const { command, env, cwd, logFile } = this.options
    const log = logFile === null ? 'inherit' : openLog(logFile)
    const begun = Date.now()
    // A process group of its own: Ctrl-C in the terminal reaches the supervisor alone, which stops things in order.
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env,
      stdio: ['ignore', log, log],
      detached: true,
      windowsHide: true,
    })
    if (log !== 'inherit') closeSync(log)
    this.#child = child
    child.once('error', (error) => void this.#died(child, error.message, 0))
    child.once('exit', (code, signal) => void this.#died(child, signal ?? `exit code ${code}`, Date.now() - begun))
  }

  async #whenReady(limitMs) {
    const { readyFile, isReady = () => true } = this.options
    const until = Date.now() + limitMs
    while (this.#child !== null && Date.now() < until) {
      const facts = readJson(readyFile)
      if (facts?.pid === this.pid && isReady(facts)) return facts
      await pause(pollMs)
    }
    return null
  }

  async #died(child, reason, livedMs) {
    if (this.#child !== child) return
    this.#child = null
    this.#deaths = livedMs < youngMs ? this.#deaths + 1 : 1
    if (this.#guarded && this.#deaths >= deathsAllowed) this.#giveUp(reason)
    if (!this.#guarded || this.#deaths >= deathsAllowed) return this.#end(reason)
    this.options.say(`${this.options.title} ended unasked (${reason}) and is started again.`)
    await pause((this.options.restartPauseMs ?? 500) * this.#deaths)
    if (this.#guarded) this.#spawn()
    else this.#end(reason)
  }

  /** Sends a signal that means the end: no new start follows. */
  signal(name) {
    this.#guarded = false
    this.#child?.kill(name)
  }

  /** Asks it to end, and ends it by force after the limit. True when it ended by itself. */
  async stop(name, limitMs) {
    const wasRunning = this.#child !== null
    this.signal(name)
    if (!wasRunning) return true
    const inTime = await Promise.race([this.ended.then(() => true), pause(limitMs).then(() => false)])
    if (!inTime) this.signal('SIGKILL')
    return inTime
  }
}
