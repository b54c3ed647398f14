/** A provider over an adapter. */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BackendAdapter, type Capabilities, CodedError, toCodedError } from '@roundhouse/backend-types'
import type { Event } from '../contract/event'
import type { Handle, Provider } from '../contract/provider'
import { providerNameOf } from '../contract/provider-name'
import { Spec } from '../contract/spec'
import { type Answerers, answerTo } from './answers'
import { requireCapability } from './capabilities'
import { Session } from './session'
import { mcpConfigOf, optionsOf, requireSupported } from './to-options'
import { waitFor } from './wait-for'

export interface ProviderOptions extends Answerers {
  /** A private folder, for the files that a session's program reads. */
  scratchDir: string
  /** Variables of `Spec.env` that no program gets. Default: the marks of Roundhouse's own processes. */
  isBlockedVariable?(name: string): boolean
  nowMs?(): number
}

/** Rejects with `PROVIDER_UNAVAILABLE` if the program is missing or does not run. */
export async function createProvider(adapter: BackendAdapter, options: ProviderOptions): Promise<Provider> {
  const { installed, unavailableReason } = await adapter.getManifest()
  if (!installed) throw unavailable(unavailableReason)
  return new AdapterProvider(adapter, options)
}

class AdapterProvider implements Provider {
  private readonly sessions = new Set<Session>()
  private readonly caps: Capabilities
  private isShut = false

  constructor(
    private readonly adapter: BackendAdapter,
    private readonly options: ProviderOptions,
  ) {
    const { capabilities } = adapter
    // The patterns are judged here, not by the adapter: before anybody is asked, wherever the program asks at all.
    const judges = options.judge !== undefined && capabilities.supportsPermissions
    this.caps = { ...capabilities, needsPermissionConfig: judges }
  }

  name() {
    return providerNameOf(this.adapter.type)
  }

  capabilities(): Capabilities {
    return this.caps
  }

  spawn(spec: Spec, signal?: AbortSignal): Promise<Handle> {
    return this.start(spec, undefined, signal)
  }

  async resume(sessionId: string, spec: Spec, signal?: AbortSignal): Promise<Handle> {
    requireCapability(this.caps, 'session_resume', this.name())
    return this.start(spec, sessionId, signal)
  }

  async shutdown(signal?: AbortSignal): Promise<void> {
    this.isShut = true
    await waitFor(Promise.all([...this.sessions].map((session) => session.stop())), signal)
  }

  private async start(asked: Spec, resumeId: string | undefined, signal: AbortSignal | undefined): Promise<Handle> {
    if (this.isShut) throw unavailable('The provider is shut down.')
    signal?.throwIfAborted()
    const spec = read(asked)
    requireSupported(spec, this.caps, this.name())
    const sessionId = randomUUID()
    const mcpConfigPath = this.writeMcpConfig(sessionId, spec)
    let end = () => {}
    const forget = () => {
      if (mcpConfigPath !== undefined) rmSync(mcpConfigPath, { force: true })
      signal?.removeEventListener('abort', end)
    }
    const isBlocked = this.options.isBlockedVariable ?? isOwnMark
    const { options, blocked } = optionsOf(spec, { sessionId, resumeId, mcpConfigPath, isBlocked })
    const session = await this.open(spec, options, forget).catch((error) => {
      forget()
      throw error
    })
    end = () => void session.stop()
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    await session.begin(spec.prompt, blocked.length > 0 ? [blockedEvent(blocked)] : [])
    return session
  }

  private async open(spec: Spec, options: Parameters<BackendAdapter['spawn']>[0], forget: () => void) {
    const { adapter } = this
    const refused = adapter.refusePrompt?.(spec.prompt)
    if (refused) throw refused
    const process = await adapter.spawn(options).catch((error: unknown) => {
      throw startError(error)
    })
    const session: Session = new Session(process, {
      adapter,
      answer: (request) => answerTo(request, spec, this.options),
      requireInjection: () => requireCapability(this.caps, 'message_injection', this.name()),
      nowMs: this.options.nowMs ?? (() => performance.now()),
      ended: () => {
        this.sessions.delete(session)
        forget()
      },
    })
    this.sessions.add(session)
    if (process.pid !== undefined) spec.onProcessSpawned?.(process.pid)
    if (this.isShut) await session.stop()
    return session
  }

  private writeMcpConfig(sessionId: string, { mcpStdioServers }: Spec): string | undefined {
    const text = mcpConfigOf(mcpStdioServers)
    if (text === null) return undefined
    const file = path.join(this.options.scratchDir, `mcp-${sessionId}.json`)
    // Headers may carry credentials.
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    return file
  }
}

function read({ onProcessSpawned, ...spec }: Spec): Spec {
  const found = Spec.safeParse(spec)
  if (!found.success) throw toCodedError(found.error)
  return { ...found.data, ...(onProcessSpawned && { onProcessSpawned }) }
}

const bySpec: ReadonlySet<string> = new Set(['UNSUPPORTED', 'INVALID_ARGUMENT', 'MODEL_UNAVAILABLE'])

/** What a caller can change by another `Spec` keeps its code; everything else is a failure to start. */
function startError(thrown: unknown): CodedError {
  const error = toCodedError(thrown)
  if (bySpec.has(error.code)) return error
  if (error.code === 'RESUME_UNAVAILABLE') return new CodedError('SESSION_NOT_FOUND', error.message, undefined, error)
  return new CodedError('SPAWN_FAILED', error.message, undefined, error)
}

const isOwnMark = (name: string): boolean => name.startsWith('ROUNDHOUSE_')

const blockedEvent = (names: readonly string[]): Event => ({
  kind: 'system',
  subtype: 'env_blocked',
  message: `Not passed on: ${names.join(', ')}`,
  raw: { names },
})

const unavailable = (why = 'The program is not installed.'): CodedError => new CodedError('PROVIDER_UNAVAILABLE', why)
