/**
 * Claude Code as a backend: launch, talk, translate. This file only puts the parts together.
 *
 * `onSessionStarted` fires when the CLI answered `initialize`, with the id we gave it: its own `system/init` comes only
 * after the first prompt. A new conversation is on disk only after its first turn, hence `provisional`. An id that the
 * CLI does not know makes it exit before that answer, so `spawn` rejects with `RESUME_UNAVAILABLE`.
 */
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defineAdapter, findProgram } from '@roundhouse/adapter-kit'
import {
  type AdapterContext,
  type BackendAdapter,
  CodedError,
  leftOutOutput,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { about } from './program/about'
import { accepted, modeOf, planLaunch, requireWorkDir } from './program/launch'
import { claudeCapabilities, readManifest } from './program/manifest'
import { realFolders, refuseMentions } from './program/mentions'
import { ownCommandRules } from './program/own-rules'
import { ownServersFile, requireOwnServers } from './program/own-servers'
import { appendedPrompt, leftOutOf, readProjectNotes } from './program/project-notes'
import { readProviderConfig, settingSourcesOf } from './program/provider-config'
import { refuseCommand } from './program/slash-commands'
import { ClaudeSession } from './session'
import type { Limits } from './session-options'
import { claudeTools } from './tools'
import { findConversation, listConversations, readConversation } from './transcripts/transcripts'
import { storedTasks } from './translate/stored-tasks'
import { isConversationId } from './wire/ids'

export interface ClaudeAdapterOptions {
  limits?: Partial<Limits & { killGraceMs: number; maxLineBytes: number; versionMs: number }>
  /** Hand every frame over as a `raw` output, also those that were translated: for a front door that speaks Claude's own. */
  rawFrames?: boolean
}

/** The CLI answers within a second or two; a machine under load may need far longer. */
const defaults = { startMs: 60_000, requestMs: 30_000, interruptMs: 10_000, killGraceMs: 8_000 }

export function createClaudeAdapter(
  context: AdapterContext,
  adapterOptions: ClaudeAdapterOptions = {},
): BackendAdapter {
  const limits = { ...defaults, ...adapterOptions.limits }

  async function start(options: SpawnOptions): Promise<ClaudeSession> {
    const session = conversationOf(options)
    const workDir = requireWorkDir(options, context.scratchDir)
    const trustProjectConfig = context.trustProjectConfig === true
    const config = readProviderConfig(options.providerConfig, trustProjectConfig)
    await requireOwnServers(options, { workDir, roots: context.roots, isTrusted: trustProjectConfig })
    const { args, env } = planLaunch({
      options,
      env: context.env,
      workDir,
      session,
      trustProjectConfig,
      ownServers: await ownServersFile(options, context.scratchDir),
      deny: context.deny,
      config,
    })
    const { killGraceMs: graceMs, maxLineBytes } = limits
    const file = await findProgram('claude', context)
    await requireFolder(workDir)
    const folders = foldersOf(options, workDir)
    const project = { workDir, roots: context.roots, denied: context.deny?.paths }
    // A caller that names the settings to load wants these and no others.
    const isLoaded = trustProjectConfig || config.settingSources !== undefined
    const notes = isLoaded ? undefined : await readProjectNotes(project)
    const sandbox = options.sandbox ?? 'workspace-write'
    return ClaudeSession.start({
      // 2.1.197 leaves its running command behind even on SIGTERM.
      command: { file, args, env, workDir, graceMs, maxLineBytes, endsDescendants: true },
      backendSessionId: session.id,
      resumed: session.kind === 'resume',
      storedTasks: session.kind === 'resume' ? await storedTasks(env, session.id) : [],
      systemPrompt: appendedPrompt(options.systemPrompt, notes && (context.hideSecrets?.(notes) ?? notes)),
      config,
      leftOut: isLoaded || session.kind === 'resume' ? null : leftOutOutput(await leftOutOf(project)),
      maxOutputTokens: options.maxOutputTokens,
      mode: modeOf(options),
      sandbox,
      ownRules: await ownCommandRules({
        env: { ...context.env, ...options.env },
        workDir,
        sources: settingSourcesOf(config, trustProjectConfig),
        allowedTools: options.allowedTools ?? [],
        sandbox,
      }),
      refuse: (text) => refuseMentions(text, folders, context.env.HOME),
      limits,
      rawFrames: adapterOptions.rawFrames === true || context.direct !== undefined,
      direct: context.direct,
    })
  }

  return defineAdapter({
    type: about.kind,
    capabilities: claudeCapabilities,
    accepted,
    start,
    readsProviderConfig: true,
    refusePrompt: refuseCommand,
    ...claudeTools,
    getManifest: () => readManifest(context, limits.versionMs),
    listSessions: () => listConversations(context.env),
    readSession: (backendSessionId) => readConversation(context.env, backendSessionId),
    transcriptFile: (backendSessionId) => findConversation(context.env, backendSessionId),
    mintSessionId: () => randomUUID(),
    ...(context.direct && { isDirect: true }),
  })
}

/** What the session may read without asking. */
function foldersOf({ additionalDirs = [], sandbox }: SpawnOptions, workDir: string): string[] {
  const folders = [workDir, ...additionalDirs.map((dir) => resolve(workDir, dir))]
  return realFolders(sandbox === 'full-access' ? [...folders, '/'] : folders)
}

/** Where nobody minted an id for a new conversation, one is minted here: so it is always known before the first prompt. */
function conversationOf(options: SpawnOptions): { kind: 'new' | 'resume'; id: string } {
  if (options.resumeId !== undefined) {
    if (isConversationId(options.resumeId)) return { kind: 'resume', id: options.resumeId }
    throw new CodedError('RESUME_UNAVAILABLE', undefined, { resumeId: options.resumeId })
  }
  const id = options.newSessionId ?? randomUUID()
  if (isConversationId(id)) return { kind: 'new', id }
  throw new CodedError('INVALID_ARGUMENT', 'newSessionId: Claude Code takes UUIDs only', { newSessionId: id })
}

/** Without this, a missing folder would read as a missing program. */
async function requireFolder(workDir: string): Promise<void> {
  const found = await stat(workDir).catch(() => undefined)
  if (!found?.isDirectory())
    throw new CodedError('INVALID_ARGUMENT', `workDir: there is no folder ${workDir}`, { workDir })
}
