/** The backends of the stories, each with its environment and with prompts that make it do the same things. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  claudeEnvironment,
  codexEnvironment,
  geminiEnvironment,
  opencodeEnvironment,
} from '../../real-backends/environment.mjs'
import { findRealBackends } from '../../real-backends/install.mjs'
import { startAnthropicModel } from '../../real-backends/model-servers/anthropic.mjs'
import { startGeminiModel } from '../../real-backends/model-servers/gemini.mjs'
import { startChatModel } from '../../real-backends/model-servers/openai-chat.mjs'
import { startResponsesModel } from '../../real-backends/model-servers/openai-responses.mjs'
import { freshFolder } from '../common/paths'

export const backendKinds = ['claude', 'codex', 'scripted'] as const
export type RealBackend = Exclude<(typeof backendKinds)[number], 'scripted'>
/** Programs of the Agent Client Protocol. */
export type AcpBackend = 'opencode' | 'gemini'
export type BackendKind = (typeof backendKinds)[number] | AcpBackend

type Step = Record<string, unknown>

export interface Surroundings {
  env: Record<string, string>
  /** Names of `env` that the agent's policy must let through. */
  envAllow: string[]
  workDir: string
  /** Absolute path of the program, if the policy pins it. */
  path?: string
  /** The requests to the scripted model, as the program sent them. */
  asked(): unknown[]
  /** Deletes the program's own record of a conversation. */
  forget(backendSessionId: string): void
  dispose(): Promise<void>
}

/** Why a backend cannot be tested here; `null` if it can. */
export async function missingReason(kind: BackendKind): Promise<string | null> {
  if (kind === 'scripted') return null
  const found = (await findRealBackends(kind))[kind]
  return 'skipped' in found ? found.skipped : null
}

export async function surround(kind: BackendKind): Promise<Surroundings> {
  if (kind === 'scripted') {
    return {
      env: {},
      envAllow: ['ROUNDHOUSE_SCRIPT_TRUTH', 'ROUNDHOUSE_FAILPOINTS'],
      workDir: freshFolder('work'),
      asked: () => [],
      forget: () => {},
      dispose: async () => {},
    }
  }
  const found = (await findRealBackends(kind))[kind]
  if ('skipped' in found) throw new Error(found.skipped)
  const { startModel, environment } = programs[kind]
  const model = await startModel()
  const place = environment(model.url)
  return {
    env: place.env,
    envAllow: ['DISABLE_*', 'SCRIPTED_MODEL_KEY'],
    workDir: place.workDir,
    path: found.bin,
    asked: () => model.requests.map(({ body }) => body),
    forget: (backendSessionId) => removeNamed(path.join(place.root, programs[kind].records), backendSessionId),
    dispose: async () => {
      await model.close()
      place.remove()
    },
  }
}

/** `records`: the folder with its conversations, which Claude Code and Codex name by their ids. */
const programs = {
  claude: { startModel: startAnthropicModel, environment: claudeEnvironment, records: 'claude-config/projects' },
  codex: { startModel: startResponsesModel, environment: codexEnvironment, records: 'codex-home/sessions' },
  opencode: { startModel: startChatModel, environment: opencodeEnvironment, records: 'data' },
  gemini: { startModel: startGeminiModel, environment: geminiEnvironment, records: 'home/.gemini/tmp' },
} as const

function removeNamed(root: string, part: string): void {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes(part))
  for (const name of names) rmSync(path.join(root, name), { recursive: true, force: true })
}

const script = (steps: Step[], prose: string) => `${prose} SCRIPT: ${JSON.stringify(steps)}`

/** A shell step that asks first. */
export function askingStep(kind: BackendKind, command: string, description: string): Step {
  if (kind === 'codex') {
    return {
      tool: 'exec_command',
      input: {
        cmd: command,
        sandbox_permissions: 'require_escalated',
        justification: description,
        yield_time_ms: 30_000,
      },
    }
  }
  return { tool: shells[kind], input: { command, description } }
}

const shells = { claude: 'Bash', scripted: 'Bash', opencode: 'bash', gemini: 'run_shell_command' } as const

export const writeStep = (kind: BackendKind, file: string, content: string) =>
  askingStep(kind, `echo ${content} > ${file}`, 'Write a file')

/**
 * A call that runs until it is released, and then writes this file. The scripted program runs no shell: its call asks
 * nobody and takes a while by itself.
 */
export function toolThatRuns(kind: BackendKind, file: string, { ends = true, ignoresTerm = false } = {}) {
  if (kind === 'scripted') {
    const tookMs = ends ? 1_000 : 300_000
    const step = { tool: 'Write', input: { file_path: file, content: 'over' }, ask: false, tookMs }
    return { command: '', step, asks: false, runs: () => true, release: () => {} }
  }
  // At most five minutes, so that nothing stays after a failing test.
  const waits = `for i in $(seq 3000); do [ -e ${file}.go ] && break; sleep 0.1; done`
  const trap = ignoresTerm ? "trap '' TERM; " : ''
  const command = `${trap}echo > ${file}.runs; ${waits}; [ -e ${file}.go ] && echo over > ${file}`
  return {
    command,
    step: askingStep(kind, command, 'Wait for a file'),
    asks: true,
    runs: () => existsSync(`${file}.runs`),
    release: () => writeFileSync(`${file}.go`, ''),
  }
}
const makeStep = (kind: BackendKind, folder: string) => askingStep(kind, `mkdir -p ${folder}`, 'Make a folder')

export const prompts = {
  say: (text: string) => script([{ text }], 'Say something.'),
  /** `words` numbered words, streamed slowly enough to be seen and interrupted. */
  stream: (words: number, delayMs = 40) => script([{ text: numbered(words), chunk: 12, delayMs }], 'Tell me slowly.'),
  write: (kind: BackendKind, file: string, content: string, closing: string) =>
    script([writeStep(kind, file, content), { text: closing }], 'Write a file.'),
  /** The same call twice. It creates a folder: a file that it names would differ the second time and make a different action. */
  makeTwice: (kind: BackendKind, folder: string, closing: string) =>
    script([makeStep(kind, folder), makeStep(kind, folder), { text: closing }], 'Make a folder twice.'),
}

export const numbered = (words: number) => Array.from({ length: words }, (_, i) => `word${i + 1}`).join(' ')
