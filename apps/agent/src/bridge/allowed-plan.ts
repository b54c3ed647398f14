/** Whether a session without a hub may start here: what the machine's policy says, and what its program can do. Reads links, as they are now. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type BackendAdapter, type CodedError, unsupportedSettings } from '@roundhouse/backend-types'
import { pathsOfSettings } from '../policy/real-paths'
import { resolveRealPaths } from '../policy/resolve-paths'
import type { Machine } from './machine'
import { judgeCreation } from './rules/create-rules'
import type { SessionPlan } from './rules/session-plan'

/** What is no folder is refused by the policy, which says so. */
export function realFolder(cwd: string): string {
  const asked = path.resolve(cwd)
  try {
    return realpathSync.native(asked)
  } catch {
    return asked
  }
}

/** What the machine's policy has against a session, as its files say now. `wrongVersion`: `Machine.wrongVersion`. */
export function refusalOf(machine: Machine, plan: SessionPlan, wrongVersion: string | undefined): CodedError | null {
  const wrongVersions = wrongVersion === undefined ? {} : { [plan.settings.backend]: wrongVersion }
  const realPaths = resolveRealPaths(pathsOfSettings(plan.settings))
  return judgeCreation({ ...machine.rules(), wrongVersions }, plan, realPaths)
}

/** What the program lacks is refused, as a hub's request for it is. */
export function requireAble({ capabilities, accepted }: BackendAdapter, label: string, plan: SessionPlan): void {
  const asked = { ...plan.settings, ...(plan.mcpServers ? { mcpConfigPath: 'mcp.json' } : {}) }
  const refusal = unsupportedSettings({ label, capabilities, accepted }, asked)
  if (refusal) throw refusal
}

/** What the session may read without asking, by real paths. */
export function foldersOf({ settings }: SessionPlan): string[] {
  const folders = [settings.workDir, ...(settings.additionalDirs ?? [])].map(realFolder)
  return settings.sandbox === 'full-access' ? [...folders, '/'] : folders
}
