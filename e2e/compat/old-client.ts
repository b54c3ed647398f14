/** The client library of the earlier commit, in a process of that checkout: hub and client of one release speak together. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { HubRest } from '@roundhouse/hub-client'

type RestName = keyof HubRest
type Answer<N extends RestName> = HubRest[N] extends (...args: never[]) => Promise<infer T> ? T : never
type Arguments<N extends RestName> = HubRest[N] extends (...args: infer A) => unknown ? A : never

export class OldClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>

  constructor(checkout: string) {
    const driver = path.join(checkout, 'e2e/old-client-driver.ts')
    copyFileSync(path.join(import.meta.dirname, 'old-client-driver.ts'), driver)
    this.#child = spawn(process.execPath, ['--import', 'tsx', driver], {
      cwd: path.dirname(driver),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  connect = (url: string) => this.#ask('connect', url)
  signIn = (url: string, email: string, password: string) => this.#ask('signIn', url, email, password)
  /** Of the login: what a browser of that release would go on sending. */
  headers = () => this.#ask('headers') as Promise<Record<string, string>>

  rest<N extends RestName>(name: N, ...args: Arguments<N>): Promise<Answer<N>> {
    return this.#ask(name, ...args) as Promise<Answer<N>>
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.stdin.end()
    await exited
  }

  /** One call at a time. */
  async #ask(name: string, ...args: unknown[]): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify({ name, args })}\n`)
    const line = await this.#lines.next()
    if (line.done) throw new Error(`the earlier client ended at ${name}`)
    const { value, error } = JSON.parse(line.value) as { value?: unknown; error?: string }
    if (error !== undefined) throw new Error(`${name}: ${error}`)
    return value
  }
}
