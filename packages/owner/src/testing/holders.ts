/** Processes that lock files and folders, each owned by its test and ended by its own handle. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

export class Holder {
  private constructor(
    private readonly child: ChildProcess,
    private readonly answers: AsyncIterator<string>,
  ) {}

  static async start(): Promise<Holder> {
    const program = path.join(import.meta.dirname, 'holder.ts')
    const child = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['pipe', 'pipe', 'inherit'] })
    const holder = new Holder(child, createInterface({ input: child.stdout })[Symbol.asyncIterator]())
    await holder.answers.next() // ready
    return holder
  }

  async order(...words: string[]): Promise<string> {
    this.child.stdin?.write(`${words.join(' ')}\n`)
    return (await this.answers.next()).value
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await exited
  }
}
