'use client'
import type { ConfigureRequest, SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { Choice } from '../../ui/choice'
import { choiceOptions, defaultCode, sandboxOptions } from '../sessions/manifest-options'

/** Model, mode and sandbox from the machine's manifest; a choice sticks to the session. */
export function SettingPickers({ view }: { view: SessionView }) {
  const hub = useHub()
  const { agents } = useAgents()
  const configure = useMutation({
    mutationFn: (changes: ConfigureRequest) => hub.rest.configure(view.sessionId, changes),
  })
  const { settings } = view
  const backend = agents
    .find((agent) => agent.agentId === view.agentId)
    ?.manifest?.backends.find((b) => b.kind === settings.backend)
  if (!backend) return null
  return (
    <div className="flex min-w-0 max-w-full items-center overflow-x-auto">
      {backend.models.length > 1 ? (
        <Choice
          bare
          label="Model"
          value={settings.model ?? defaultCode(backend.models)}
          options={choiceOptions(backend.models)}
          onChoose={(model) => configure.mutate({ model })}
        />
      ) : null}
      {backend.modes.length > 1 ? (
        <Choice
          bare
          label="Mode"
          value={settings.mode ?? defaultCode(backend.modes)}
          options={choiceOptions(backend.modes)}
          onChoose={(mode) => configure.mutate({ mode })}
        />
      ) : null}
      {backend.sandboxes.length > 1 ? (
        <Choice
          bare
          label="Sandbox"
          value={settings.sandbox ?? 'workspace-write'}
          options={sandboxOptions(backend.sandboxes)}
          onChoose={(sandbox) => configure.mutate({ sandbox: sandbox as NonNullable<ConfigureRequest['sandbox']> })}
        />
      ) : null}
    </div>
  )
}
