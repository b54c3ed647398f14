/**
 * Asks a backend what it can do, in a separate process (FLOW-7). The backend's program, or an entry of PATH before it, may
 * be on a disk that does not answer, and starting a program there blocks the caller. If the last process is ended but stuck
 * in the kernel, the backend is not asked again until it is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  BackendManifestEntry,
  CodedError,
  type ErrorBody,
  fromErrorBody,
  isLack,
  outOfResources,
} from '@roundhouse/backend-types'
import { requireProgram } from '../../files/require-program'
import type { NamedProgram } from '../../host-contract/launch-spec'

export interface BackendAskerOptions {
  /** `ask.js`. */
  entry: string
  kind: string
  /** Of a backend that the policy names. */
  program?: NamedProgram
  playerPath: string
  limitMs?: number
}

export interface Asked {
  env: Record<string, string>
  scratchDir: string
  modelsFolder?: string
  binaryPath?: string
}

/** The question in one line of JSON. The process gets its environment separately. */
type Question = Omit<Asked, 'env'> & Pick<BackendAskerOptions, 'kind' | 'program' | 'playerPath'>
type Reply = { entry?: unknown; error?: ErrorBody }

export class BackendAsker {
  private running: ChildProcess | null = null

  constructor(private readonly options: BackendAskerOptions) {}

  async ask({ env, ...asked }: Asked): Promise<BackendManifestEntry> {
    if (this.running) throw noAnswer(asked.binaryPath)
    const { kind, program, playerPath, limitMs = 9_500 } = this.options
    const child = this.start(env)
    const question: Question = { ...asked, kind, playerPath, ...(program ? { program } : {}) }
    try {
      const text = await answerOf(child, JSON.stringify(question), limitMs, () => noAnswer(asked.binaryPath))
      const { entry, error } = JSON.parse(text) as Reply
      if (error) throw fromErrorBody(error)
      return BackendManifestEntry.parse(entry)
    } finally {
      endGroup(child)
    }
  }

  private start(env: Record<string, string>): ChildProcess {
    requireProgram(this.options.entry)
    try {
      // A group of its own, so that its child processes end with it.
      const stdio = ['pipe', 'pipe', 'ignore'] as const
      const child = spawn(process.execPath, [this.options.entry], { cwd: '/', env, detached: true, stdio: [...stdio] })
      this.running = child
      const gone = () => {
        if (this.running === child) this.running = null
      }
      child.once('exit', gone).once('error', gone)
      child.unref()
      return child
    } catch (error) {
      throw isLack(error) ? outOfResources(error) : error
    }
  }
}

function answerOf(child: ChildProcess, question: string, limitMs: number, late: () => CodedError): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(late()), limitMs)
    const settle = (how: () => void) => {
      clearTimeout(timer)
      how()
    }
    child.once('error', (error) => settle(() => reject(isLack(error) ? outOfResources(error) : error)))
    child.once('close', () =>
      settle(() => reject(new CodedError('BACKEND_UNAVAILABLE', 'The program could not be queried.'))),
    )
    // If descriptors ran out, there are no pipes.
    child.stdin?.on('error', () => {})
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      if (text.endsWith('\n')) settle(() => resolve(text))
    })
    child.stdin?.write(`${question}\n`)
  })
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just exited.
  }
}

const noAnswer = (place: string | undefined): CodedError =>
  place === undefined
    ? new CodedError('FOLDER_UNAVAILABLE', 'The program did not answer in time.')
    : new CodedError('FOLDER_UNAVAILABLE', `${place} did not answer in time.`, { path: place })
