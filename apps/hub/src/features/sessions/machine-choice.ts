/** On which machine a session can start; one that would refuse stays visible, with the reason. Pure. */
import type { AgentView, BackendManifestEntry } from '@roundhouse/backend-types'
import type { ChoiceOption } from '../../ui/choice'

export function refusalOf({ pausedAt, disk, roots }: AgentView): string | undefined {
  if (pausedAt !== undefined) return 'paused by its owner'
  if (disk !== undefined) return disk === 'full' ? 'its disk is full' : 'its disk refuses to write'
  return roots.length === 0 ? 'allows no folder yet' : undefined
}

export function machineOptions(agents: readonly AgentView[]): ChoiceOption[] {
  return agents.map((agent) => {
    const refusal = refusalOf(agent)
    const when = agent.online ? '' : ' (offline: starts when it reconnects)'
    const label = refusal === undefined ? `${agent.name}${when}` : `${agent.name} — ${refusal}`
    return { value: agent.agentId, label, disabled: refusal !== undefined }
  })
}

export function pickMachine(agents: readonly AgentView[], wanted: string | null): AgentView | undefined {
  const takes = agents.filter((agent) => refusalOf(agent) === undefined)
  return takes.find(({ agentId }) => agentId === wanted) ?? takes.find(({ online }) => online) ?? takes[0] ?? agents[0]
}

/** Why a prompt cannot go with these images, and what to do; null: it can. `isAlone`: there is no text. */
export function imagesRefusal(
  backend: Pick<BackendManifestEntry, 'label' | 'capabilities'> | undefined,
  machine: string,
  { count, isAlone }: { count: number; isAlone: boolean },
): string | null {
  if (!backend || count === 0) return null
  const { acceptsImages, acceptsImagesAlone } = backend.capabilities
  const on = `${backend.label} on ${machine}`
  if (acceptsImages !== true) return `${on} takes no images. Remove them, or choose another backend or machine.`
  return isAlone && acceptsImagesAlone !== true ? `${on} takes images only with a text. Write one.` : null
}

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
