/**
 * The scripted backend: a real child process that plays what its prompt says. For the demo, the tests and the stories; it
 * keeps every rule that the real backends keep.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineAdapter } from '@roundhouse/adapter-kit'
import { type AdapterContext, type BackendAdapter, CodedError, type SpawnOptions } from '@roundhouse/backend-types'
import { manifestOf } from './manifest'
import { about } from './script/about'
import { accepted, capabilities } from './script/catalogue'
import { scriptedTools } from './script/tool-words'
import { ScriptedProcess } from './scripted-process'
import { findTranscript, listConversations, readTranscript } from './sessions'
import { settingsOf } from './settings'
import { refuseCommand } from './slash-commands'

export interface ScriptedAdapterOptions {
  /** The bundled player. Default: the context's `binaryPath`, then `scripted-cli.js` beside the running program. */
  playerPath?: string
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number
}

export function createScriptedAdapter(context: AdapterContext, options: ScriptedAdapterOptions = {}): BackendAdapter {
  const player =
    options.playerPath ?? context.binaryPath ?? fileURLToPath(new URL('./scripted-cli.js', import.meta.url))
  const stateDir = stateDirOf(context)
  const graceMs = options.graceMs ?? 10_000

  async function start(asked: SpawnOptions): Promise<ScriptedProcess> {
    if (!existsSync(player)) throw new CodedError('BACKEND_UNAVAILABLE', `The player ${player} is missing.`)
    const workDir = asked.workDir ?? context.scratchDir
    if (!statSync(workDir, { throwIfNoEntry: false })?.isDirectory()) {
      throw new CodedError('INVALID_ARGUMENT', `There is no folder ${workDir}.`, { workDir })
    }
    if (asked.newSessionId !== undefined && asked.resumeId !== undefined) {
      throw new CodedError('INVALID_ARGUMENT', 'A conversation is either new or resumed.', { path: 'newSessionId' })
    }
    const process = new ScriptedProcess(
      { ...runPlayer(player, stateDir), workDir, env: { ...context.env, ...asked.env }, graceMs },
      { settings: settingsOf(asked), resume: asked.resumeId, fresh: asked.newSessionId },
    )
    await process.start()
    return process
  }

  return defineAdapter({
    type: about.kind,
    capabilities,
    accepted,
    start,
    mintSessionId: () => randomUUID(),
    refusePrompt: refuseCommand,
    ...scriptedTools,
    getManifest: () => manifestOf(player, context.env),
    listSessions: async () => listConversations(stateDir),
    readSession: async (backendSessionId) => readTranscript(stateDir, backendSessionId),
    transcriptFile: async (backendSessionId) => findTranscript(stateDir, backendSessionId),
  })
}

/** The player is a Node program: it runs under the Node that runs us. */
function runPlayer(player: string, stateDir: string) {
  return { file: process.execPath, args: [player, '--state', stateDir] }
}

function stateDirOf(context: AdapterContext): string {
  const home = context.env.HOME ?? context.scratchDir
  return context.env.ROUNDHOUSE_SCRIPT_STATE ?? join(home, '.roundhouse-scripted')
}
