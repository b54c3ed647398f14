/** The scripted adapter with its own home, workspace and player: ready to spawn. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createScriptedAdapter, readConversation, type ScriptedAdapterOptions } from '@roundhouse/adapter-scripted'
import type { AdapterContext } from '@roundhouse/backend-types'
import { buildPlayer } from './build-player'
import type { Bench } from './rig/harness'
import { tempDir } from './temp-dir'

export interface ScriptedBench extends Bench {
  context: AdapterContext
  /** Where the player keeps its conversations. */
  stateDir: string
}

export async function scriptedBench(options: ScriptedAdapterOptions = {}): Promise<ScriptedBench> {
  const root = tempDir('scripted')
  const folder = (name: string) => {
    mkdirSync(join(root.path, name))
    return join(root.path, name)
  }
  const stateDir = folder('state')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder('home'),
    ROUNDHOUSE_SCRIPT_STATE: stateDir,
    ROUNDHOUSE_SCRIPT_SPEED: '0',
  }
  const context = { env, scratchDir: folder('scratch') }
  const adapter = createScriptedAdapter(context, { playerPath: await buildPlayer(), ...options })
  let latest = ''
  const spawn = adapter.spawn
  adapter.spawn = async (asked) => {
    const process = await spawn(asked)
    adapter.onSessionStarted?.(process, ({ backendSessionId }) => {
      latest = backendSessionId
    })
    return process
  }
  return {
    adapter,
    context,
    stateDir,
    workDir: folder('work'),
    otherDir: folder('other'),
    async modelView() {
      const view = readConversation(stateDir, latest)?.view
      if (!view) throw new Error('no turn was played yet')
      const { model, thinking, maxOutputTokens } = view.settings
      return { system: view.system, userTexts: view.userTexts, model, thinking, maxOutputTokens }
    },
    async dispose() {
      root.remove()
    },
  }
}
