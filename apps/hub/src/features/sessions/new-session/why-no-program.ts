import type { AgentView } from '@roundhouse/backend-types'

/** Says why the session's machine accepts nothing for it now, and what to do; the session's status reports a full disk. */
export function whyNoProgram({ name, pausedAt, manifest }: AgentView, kind: string): string | undefined {
  if (pausedAt !== undefined) {
    return `${name} is paused by its owner and refuses prompts and decisions. To go on, run “roundhouse-agent resume” there.`
  }
  const backend = manifest?.backends.find((one) => one.kind === kind)
  if (!backend || backend.installed) return undefined
  const reason = (backend.unavailableReason ?? 'It is not installed.').replace(/\.?$/, '.')
  return `${backend.label} cannot run on ${name} now. ${reason} Sessions continue when it can.`
}
