/** The command `roundhouse-agent` on the PATH of an agent, as where people install it. */
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { freshFolder, repoRoot } from '../common/paths'

/** For `agentEnv`. */
export function withAgentCommand(): { PATH: string } {
  const folder = path.join(freshFolder('bin'), 'bin')
  mkdirSync(folder)
  symlinkSync(path.join(repoRoot, 'apps/agent/dist/main.js'), path.join(folder, 'roundhouse-agent'))
  return { PATH: `${folder}:${process.env.PATH ?? ''}` }
}
