/** Removes options from a program's manifest that the policy would refuse, so that no page offers them (POL-1). Pure. */
import type { BackendManifestEntry } from '@roundhouse/backend-types'
import { judgeChanges, type SessionRules } from './judge'

export function offeredBy(policy: SessionRules, entry: BackendManifestEntry): BackendManifestEntry {
  const sandboxes = entry.sandboxes.filter((sandbox) => judgeChanges(policy, { sandbox }) === null)
  const modes = entry.modes.filter(
    ({ code, sandboxes: fitting = sandboxes }) =>
      judgeChanges(policy, { mode: code }) === null &&
      (sandboxes.length === 0 || fitting.some((sandbox) => sandboxes.includes(sandbox))),
  )
  return { ...entry, sandboxes, modes }
}
