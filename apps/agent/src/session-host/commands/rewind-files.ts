/**
 * Puts back the files that the program has changed since a prompt (CMD-11). The program says first which these are, and each
 * of them is judged as a write of the program would be: one that the machine's policy forbids stops all of it.
 */
import path from 'node:path'
import {
  type BackendAdapter,
  CodedError,
  type Command,
  type CommandOf,
  RewindResult,
  type SessionEvent,
} from '@roundhouse/backend-types'
import { deniedBy } from '../../actions/denied'
import { realPathOf } from '../../actions/named-paths'
import { isInside } from '../../files/is-inside'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { Journal } from '../journal/journal'
import type { RunningBackend } from '../program/program-runner'
import type { StoredSettings } from '../settings/settings'
import type { TurnState } from '../turns/turn-state'

export interface RewindPorts {
  journal: Pick<Journal, 'record'>
  turns: Pick<TurnState, 'current'>
  running(): RunningBackend | null
  settings(): StoredSettings
  policy(): HostPolicy
  messageId(promptId: string): string
}

/** How many of the names an event has. */
const MOST_NAMES = 200

/** A program names a write by one of these. */
const writingTools = ['Write', 'Edit']

export class RewindFiles {
  constructor(private readonly ports: RewindPorts) {}

  /** Throws why it cannot begin now. */
  requireReady(): void {
    if (this.ports.turns.current) throw new CodedError('TURN_RUNNING')
    if (!this.ports.running()) throw new CodedError('NOT_RUNNING')
    const { settings } = this.ports.settings()
    if (settings.sandbox === 'read-only') throw readOnly('sandbox', 'This session')
    if (this.ports.policy().maxSandbox === 'read-only') throw readOnly('maxSandbox', 'This machine')
  }

  async rewind({ promptId }: CommandOf<'files.rewind'>, { commandId }: Command): Promise<void> {
    this.requireReady()
    const userMessageId = this.ports.messageId(promptId)
    const files = await this.ask({ userMessageId, dryRun: true })
    for (const file of files) this.requireMayWrite(file)
    await this.ask({ userMessageId })
    const data = { promptId, files: files.slice(0, MOST_NAMES), count: files.length }
    const event: SessionEvent = { kind: 'system', commandId, subtype: 'files_rewound', data }
    await this.ports.journal.record([event])
  }

  private async ask(params: { userMessageId: string; dryRun?: boolean }): Promise<string[]> {
    const running = this.ports.running()
    if (!running) throw new CodedError('NOT_RUNNING')
    const told = RewindResult.safeParse(await queryOf(running.adapter)(running.process, 'rewindFiles', params))
    if (!told.success) throw new CodedError('BACKEND_ERROR')
    const { canRewind, error, filesChanged = [] } = told.data
    if (!canRewind) throw new CodedError('NOT_FOUND', error ?? 'The program keeps no files of that prompt.')
    return filesChanged
  }

  private requireMayWrite(file: string): void {
    const { realWorkDir: cwd } = this.ports.settings()
    const policy = this.ports.policy()
    const real = realPathOf(path.resolve(cwd, file))
    if (!policy.roots.some((root) => isInside(real, root))) {
      throw new CodedError('PATH_NOT_ALLOWED', 'A file lies outside the folders this machine allows.', { path: file })
    }
    for (const tool of writingTools) {
      const rule = deniedBy({ tool, input: { file_path: real }, cwd }, policy)
      if (rule) throw new CodedError('POLICY_DENIED', `The policy of this machine forbids ${file}.`, { rule })
    }
  }
}

function queryOf({ query }: BackendAdapter): NonNullable<BackendAdapter['query']> {
  if (query) return query
  throw new CodedError('UNSUPPORTED', undefined, { method: 'rewindFiles' })
}

const readOnly = (rule: string, who: string): CodedError =>
  new CodedError('POLICY_DENIED', `${who} may only read.`, { rule })
