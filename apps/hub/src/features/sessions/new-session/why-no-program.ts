import type { AgentView } from '@roundhouse/backend-types'

/** Why the machine of a session takes nothing for it now, and what to do; a full disk is told by its status. */
export function whyNoProgram({ name, pausedAt, manifest }: AgentView, kind: string): string | undefined {
  if (pausedAt !== undefined) {
    return `${name} is paused by its owner and refuses prompts and answers. To go on, run “roundhouse-agent resume” there.`
  }
  const backend = manifest?.backends.find((one) => one.kind === kind)
  if (!backend || backend.installed) return undefined
  const reason = (backend.unavailableReason ?? 'It is not installed.').replace(/\.?$/, '.')
  return `${backend.label} cannot run on ${name} now. ${reason} Sessions continue when it can.`
}
