/** A child process of the test: started with an explicit environment, waited for, and ended by its id. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export class OwnedProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #output = ''

  constructor(args: string[], env: Record<string, string>, cwd: string) {
    this.#child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-20_000)
      })
    }
    this.#exited = once(this.#child, 'exit').then(() => undefined)
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the process did not start')
    return this.#child.pid
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get succeeded(): boolean {
    return this.#child.exitCode === 0
  }

  /** The end of what it printed, for messages of failing tests. */
  get output(): string {
    return this.#output
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.alive) this.#child.kill(signal)
    await this.#exited
  }
}
