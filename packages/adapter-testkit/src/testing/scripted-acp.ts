/** A small program that speaks the Agent Client Protocol, with its own home and workspace: ready to spawn. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AcpProgram, createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import type { Bench, HarnessPrompts } from '../rig/harness'
import { markedBy } from '../rig/leftovers'
import { tempDir } from '../temp-dir'

const file = fileURLToPath(new URL('../../../adapter-acp/src/testing/scripted-program.mjs', import.meta.url))
const program: AcpProgram = {
  kind: 'scripted-acp',
  label: 'Scripted ACP',
  profile: profiles.generic,
  argv: [process.execPath, file],
}

interface View {
  prompts: string[]
  model: string
  mcpServers?: unknown[]
}

export interface ScriptedAcpBench extends Bench {
  view(): View
}

export async function scriptedAcpBench(argv: AcpProgram['argv'] = [process.execPath, file]): Promise<ScriptedAcpBench> {
  const root = tempDir()
  const folder = (name: string) => {
    mkdirSync(join(root.path, name))
    return join(root.path, name)
  }
  const home = folder('home')
  const env = { PATH: process.env.PATH ?? '', HOME: home }
  const viewFile = join(home, 'scripted-acp', 'view.json')
  const view = (): View =>
    existsSync(viewFile) ? JSON.parse(readFileSync(viewFile, 'utf8')) : { prompts: [], model: '' }
  return {
    adapter: createAcpAdapter({ ...program, argv }, { env, scratchDir: folder('scratch'), markedBy }),
    workDir: folder('work'),
    otherDir: folder('other'),
    view,
    modelView: async () => ({ system: '', userTexts: view().prompts, model: view().model }),
    dispose: async () => root.remove(),
  }
}

export const acpPrompt = (...steps: object[]) => ({ text: `SCRIPT: ${JSON.stringify(steps)}` })
const shell = (command: string, more = {}) => ({ tool: 'shell', input: { command }, ...more })

export const scriptedAcpPrompts: HarnessPrompts = {
  text: (answer) => acpPrompt({ text: answer }),
  longStream: () => acpPrompt({ text: 'It begins, and', chunk: 4 }, { hang: true }),
  toolThatAsks: (path, content, closing) => ({
    ...acpPrompt(shell(`echo ${content} > ${path}`), { text: closing }),
    toolName: 'execute',
  }),
  toolThatPrints: (marker, closing) => acpPrompt(shell(`echo ${marker}`), { text: closing }),
  slowTool: (path) => acpPrompt(shell(`echo started > ${path}; sleep 60`)),
  twoToolsThatAsk: (files, content) => acpPrompt({ tools: files.map((path) => shell(`echo ${content} > ${path}`)) }),
  printEnv: (name) => acpPrompt(shell(`printenv ${name}; echo printed`), { text: 'Done.' }),
}
