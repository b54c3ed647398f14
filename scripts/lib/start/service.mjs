// A child process that writes a file about itself when it is ready. If it dies unexpectedly, it is restarted, after a pause
// that grows while it keeps dying early.
//
//   starting --its file says ready--> running --dies--> pausing --> running ...
//   starting --dies or takes too long--> failed, or as from running for one that may be late
//   any --stop--> stopped
import { ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { pause, readJson, tailOf } from '../common/process-facts.mjs'
import { PlainError } from '../common/run.mjs'

const logLimitBytes = 10 << 20
const youngMs = 10_000
const firstPauseMs = 500
const longestPauseMs = 60_000
const standBackMs = 3_000
/** Deaths in a row from which on its last words are shown: the first ones may be somebody's kill. */
const deathsUnexplained = 3
const pollMs = 50

function openLog(file) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  if (existsSync(file) && statSync(file).size > logLimitBytes) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

/** A start that fails is always told by the event `error`; Node throws some failures at once. */
function startChild([file, ...args], options) {
  try {
    return spawn(file, args, options)
  } catch (error) {
    const child = new ChildProcess()
    process.nextTick(() => child.emit('error', error))
    return child
  }
}

const inSeconds = (ms) => (ms < 1_000 ? '' : ` in ${Math.round(ms / 1_000)} s`)

export class Service {
  #child = null
  #guarded = false
  #deaths = 0
  #end = () => {}
  #before = ''
  /** Where the lines of this start begin in the log; null before the first start. */
  #logFrom = null
  #stoodBack = false

  /**
   * @param {{ title: string, command: string[], env: Record<string, string | undefined>, cwd: string,
   *   logFile: string | null, readyFile: string, isReady?: (facts: any) => boolean, say: (line: string) => void,
   *   mayBeLate?: boolean, restartPauseMs?: number, standsBack?: Record<number, string> }} options
   *   mayBeLate: whoever starts it goes on without it, so its first start is tried again like every later one.
   *   standsBack: exit codes by which it leaves the place to another one, and what to say then, once. It tries again quietly.
   */
  constructor(options) {
    this.options = options
    /** Settles once it is down for good, for whatever reason. */
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get pid() {
    return this.#child?.pid
  }

  /** It was started, and the place is not another one's: what it left behind is ours to end. */
  get hasPlace() {
    if (this.#stoodBack) return this.#child !== null && readJson(this.options.readyFile)?.pid === this.pid
    return this.#logFrom !== null
  }

  /** Starts it and returns its own words once it is ready. From then on a death is answered with a new start. */
  async start(limitMs = 60_000) {
    const { title, mayBeLate = false } = this.options
    this.#guarded = mayBeLate
    this.#spawn()
    const facts = await this.#whenReady(limitMs)
    if (facts !== null) {
      this.#guarded = true
      return facts
    }
    const outcome = this.#child === null ? 'did not start' : `is not ready after ${limitMs / 1_000} s`
    if (!mayBeLate) this.signal('SIGTERM')
    throw new PlainError(`${this.#lastWords()}${title} ${outcome}.`)
  }

  #lastWords() {
    const { logFile } = this.options
    return logFile === null ? '' : `The last lines of ${logFile}:\n${tailOf(logFile, this.#logFrom ?? 0)}\n`
  }

  #spawn() {
    const { command, env, cwd, logFile } = this.options
    const log = this.#openLog(logFile)
    this.#logFrom ??= typeof log === 'number' ? fstatSync(log).size : 0
    const begun = Date.now()
    this.#before = this.#readyText()
    // A process group of its own: Ctrl-C in the terminal reaches the supervisor alone, which stops things in order.
    const child = startChild(command, { cwd, env, stdio: ['ignore', log, log], detached: true, windowsHide: true })
    if (typeof log === 'number') closeSync(log)
    this.#child = child
    child.once('error', (error) => void this.#died(child, error.message, 0))
    child.once('exit', (code, signal) => void this.#died(child, signal ?? `exit code ${code}`, Date.now() - begun))
  }

  /** A log that cannot be opened, on a full disk for one, is no reason to stay down. */
  #openLog(file) {
    if (file === null) return 'inherit'
    try {
      return openLog(file)
    } catch (error) {
      this.options.say(`${this.options.title} runs without a log: ${error.message}`)
      return 'ignore'
    }
  }

  /** What lay there before it was started is another one's, whose number it may have got: in a container, for example. */
  #readyText() {
    try {
      return readFileSync(this.options.readyFile, 'utf8')
    } catch {
      return ''
    }
  }

  async #whenReady(limitMs) {
    const { readyFile, isReady = () => true } = this.options
    const until = Date.now() + limitMs
    while (this.#child !== null && Date.now() < until) {
      const facts = this.#readyText() === this.#before ? null : readJson(readyFile)
      if (facts?.pid === this.pid && isReady(facts)) return facts
      await pause(pollMs)
    }
    return null
  }

  async #died(child, reason, livedMs) {
    if (this.#child !== child) return
    this.#child = null
    this.#deaths = livedMs < youngMs ? this.#deaths + 1 : 1
    if (!this.#guarded) return this.#end(reason)
    const { title, say, standsBack = {}, restartPauseMs = firstPauseMs } = this.options
    const stoodBack = standsBack[child.exitCode]
    if (stoodBack !== undefined) return this.#startLater(stoodBack)
    this.#stoodBack = false
    const pauseMs = Math.min(restartPauseMs * 2 ** (this.#deaths - 1), longestPauseMs)
    if (this.#deaths === deathsUnexplained) say(this.#lastWords().trimEnd())
    say(`${title} ended unexpectedly (${reason}) and is started again${inSeconds(pauseMs)}.`)
    await this.#respawn(pauseMs)
  }

  #startLater(why) {
    if (!this.#stoodBack) this.options.say(why)
    this.#stoodBack = true
    this.#deaths = 0
    return this.#respawn(this.options.restartPauseMs ?? standBackMs)
  }

  async #respawn(pauseMs) {
    await pause(pauseMs)
    if (this.#guarded) this.#spawn()
    else this.#end('stopped')
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
