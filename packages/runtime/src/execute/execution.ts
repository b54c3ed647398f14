/**
 * One run of a program: one prompt, and nothing after its turn.
 *
 *     begin ──► starting ──► turn ──► over        over: `done` was told
 *       │           │          └── the program ended, or the run was aborted ──► over
 *       └───────────┴── refused, or aborted ──► over
 *
 * `end` resolves when the program is gone, whatever came before.
 */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  type AgentExecuteParams,
  type BackendAdapter,
  type BackendProcess,
  type PermissionDecision,
  type PermissionRequest,
  type SpawnOptions,
  toCodedError,
} from '@roundhouse/backend-types'
import { EventChannel } from '../view/event-channel'
import { readParams } from './read-params'
import type { RunNews } from './run-news'
import { RunTeller } from './run-teller'

export type Answer = Omit<PermissionDecision, 'callId'>

export interface RuntimeOptions {
  /** A private folder, for the files that a program reads. */
  scratchDir: string
  /** Answers what the program asks; `withdrawn`: it no longer asks. Absent: nobody is here, so it is denied. */
  ask?(request: PermissionRequest, withdrawn: AbortSignal): Promise<Answer>
  /** What `AgentExecuteParams` has no field for. */
  spawn?: Pick<SpawnOptions, 'model' | 'mode' | 'sandbox' | 'thinking' | 'allowedTools' | 'disallowedTools'>
  /** Variables of `AgentExecuteParams.env` that are refused. Default: the marks of Roundhouse's own processes. */
  isBlockedVariable?(name: string): boolean
  /** Right after the program was started. */
  spawned?(process: BackendProcess): void
  nowMs?(): number
}

const nobody: Answer = { decision: 'deny', reason: 'Nobody is here to allow it.' }

export class Execution {
  private readonly channel = new EventChannel<RunNews>((full) => this.pause(full))
  private readonly teller: RunTeller
  private readonly asked = new Map<string, AbortController>()
  private process: BackendProcess | null = null
  private starting: Promise<void> = Promise.resolve()
  private mcpFile: string | null = null
  private isLeft = false

  constructor(
    private readonly adapter: BackendAdapter,
    private readonly options: RuntimeOptions,
    private readonly params: AgentExecuteParams,
  ) {
    this.teller = new RunTeller(options.nowMs ?? (() => performance.now()), (news) => this.channel.push(news))
  }

  begin(): AsyncIterableIterator<RunNews> {
    const { abortSignal } = this.params
    this.teller.begins()
    abortSignal?.addEventListener('abort', this.abort, { once: true })
    if (abortSignal?.aborted) this.abort()
    else this.starting = this.start().catch((error) => this.over(() => this.teller.failed(reasonOf(error))))
    return this.channel.events()
  }

  async end(): Promise<void> {
    this.isLeft = true
    this.params.abortSignal?.removeEventListener('abort', this.abort)
    for (const withdrawn of this.asked.values()) withdrawn.abort()
    await this.starting
    if (this.process) await this.adapter.stop(this.process).catch(() => {})
    if (this.mcpFile !== null) rmSync(this.mcpFile, { force: true })
  }

  private readonly abort = (): void => this.over(() => this.teller.interrupted())

  private async start(): Promise<void> {
    const { adapter, options } = this
    const params = readParams(this.params, options.isBlockedVariable ?? isOwnMark)
    const refused = adapter.refusePrompt?.(params.prompt)
    if (refused) throw refused
    if (params.mcpServers) this.mcpFile = this.writeServers(params.mcpServers)
    const process = await adapter.spawn(this.spawnOptions(params))
    this.process = process
    options.spawned?.(process)
    // It was aborted meanwhile.
    if (this.teller.isOver || this.isLeft) return
    this.listen(process)
    adapter.send(process, params.prompt)
  }

  private spawnOptions({ workingDirectory, env, systemPrompt, sessionId }: AgentExecuteParams): SpawnOptions {
    const newSessionId = sessionId === undefined ? this.adapter.mintSessionId?.() : undefined
    return {
      ...this.options.spawn,
      sessionId: randomUUID(),
      workDir: workingDirectory ?? process.cwd(),
      ...(env && { env }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(sessionId !== undefined && { resumeId: sessionId }),
      ...(newSessionId !== undefined && { newSessionId }),
      ...(this.mcpFile !== null && { mcpConfigPath: this.mcpFile }),
    }
  }

  private listen(process: BackendProcess): void {
    const { adapter, teller } = this
    const heard =
      <A extends unknown[]>(told: (...args: A) => void) =>
      (...args: A) => {
        if (!teller.isOver && !this.isLeft) told(...args)
      }
    adapter.onSessionStarted?.(
      process,
      heard(({ backendSessionId }) => teller.session(backendSessionId)),
    )
    adapter.onOutput(
      process,
      heard((output) => teller.output(output)),
    )
    adapter.onLive?.(
      process,
      heard((delta) => teller.live(delta)),
    )
    adapter.onPermissionRequest?.(
      process,
      heard((request) => void this.answer(process, request)),
    )
    adapter.onPermissionWithdrawn?.(
      process,
      heard((callId) => this.asked.get(callId)?.abort()),
    )
    adapter.onTurnComplete?.(
      process,
      heard((info) => this.over(() => teller.completed(info))),
    )
    adapter.onExit?.(
      process,
      heard((code, info) => this.over(() => teller.exited(code, info))),
    )
  }

  private async answer(process: BackendProcess, request: PermissionRequest): Promise<void> {
    const { callId, toolName } = request
    const withdrawn = new AbortController()
    this.asked.set(callId, withdrawn)
    const asking = this.options.ask?.(request, withdrawn.signal) ?? Promise.resolve(nobody)
    const failed: Answer = { decision: 'deny', reason: 'The request could not be answered.' }
    const answer = await asking.catch(() => failed)
    this.asked.delete(callId)
    if (withdrawn.signal.aborted || this.teller.isOver) return
    const { decision, reason } = answer
    if (decision === 'deny' || decision === 'abort')
      this.teller.denies({ toolName, callId, ...(reason === undefined ? {} : { reason }) })
    // A program that is gone has no request any more.
    await this.adapter.respondToPermission?.(process, { ...answer, callId }).catch(() => {})
  }

  /** Tells the end, once. */
  private over(tell: () => void): void {
    if (this.teller.isOver) return
    tell()
    this.channel.close()
  }

  private pause(full: boolean): void {
    if (this.process?.isAlive()) this.adapter.pauseOutput?.(this.process, full)
  }

  private writeServers(mcpServers: NonNullable<AgentExecuteParams['mcpServers']>): string {
    const file = path.join(this.options.scratchDir, `mcp-${randomUUID()}.json`)
    // Headers may carry credentials.
    writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600, flag: 'wx' })
    return file
  }
}

const isOwnMark = (name: string): boolean => name.startsWith('ROUNDHOUSE_')

function reasonOf(thrown: unknown) {
  const { code, message } = toCodedError(thrown)
  return { code, message }
}
