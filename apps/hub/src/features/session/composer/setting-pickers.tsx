'use client'
import type { BackendManifestEntry, ConfigureRequest, SessionView } from '@roundhouse/backend-types'
import { toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../../live/hub-provider'
import { useAgents } from '../../../live/use-agents'
import { Choice } from '../../../ui/forms/choice'
import { Switch } from '../../../ui/forms/switch'
import {
  choiceOptions,
  defaultCode,
  modeOptions,
  sandboxOptions,
  thinkingChoices,
} from '../../sessions/new-session/manifest-options'
import { overrideWith, type TurnOverride } from './turn-override'

interface SettingPickersProps {
  view: SessionView
  backend: BackendManifestEntry
  /** Overrides for the next prompt only. `null`: choices apply to the session. */
  once: TurnOverride | null
  onOnce: (once: TurnOverride | null) => void
}

/** Model, mode, thinking and sandbox from the machine's manifest. A choice applies to the session or to the next prompt only. */
export function SettingPickers({ view, backend, once, onOnce }: SettingPickersProps) {
  const hub = useHub()
  const configure = useMutation({
    mutationFn: (changes: ConfigureRequest) => hub.rest.configure(view.sessionId, changes),
  })
  const { settings } = view
  const max = useAgents().agents.find(({ agentId }) => agentId === view.agentId)?.maxSandbox
  const sticky = {
    model: settings.model ?? defaultCode(backend.models),
    mode: settings.mode ?? defaultCode(backend.modes),
  }
  const choose = (field: keyof TurnOverride, value: string) =>
    once ? onOnce(overrideWith(once, field, value, sticky)) : configure.mutate({ [field]: value })
  const model = once?.model ?? sticky.model
  const mode = once?.mode ?? sticky.mode
  const sandbox = settings.sandbox ?? 'workspace-write'
  const thinking = thinkingChoices(backend, settings.thinking, model)
  const sandboxes = sandboxOptions(backend, sandbox, { max, mode })
  const several = backend.models.length > 1 || backend.modes.length > 1
  const marked = (field: keyof TurnOverride) => (once?.[field] === undefined ? undefined : 'text-accent font-medium')
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-center">
      {backend.models.length > 1 ? (
        <Choice
          bare
          label="Model"
          value={model}
          options={choiceOptions(backend.models, model)}
          className={marked('model')}
          onChoose={(model) => choose('model', model)}
        />
      ) : null}
      {backend.modes.length > 1 ? (
        <Choice
          bare
          label="Mode"
          value={mode}
          options={modeOptions(backend, mode, sandbox)}
          className={marked('mode')}
          onChoose={(mode) => choose('mode', mode)}
        />
      ) : null}
      {several ? (
        <Switch
          on={once !== null}
          title="The model and mode that you choose apply only to the next prompt"
          onToggle={(on) => onOnce(on ? {} : null)}
        >
          Only for the next prompt
        </Switch>
      ) : null}
      {thinking.options.length > 1 ? (
        <Choice
          bare
          label="Thinking"
          {...thinking}
          disabled={once !== null}
          onChoose={(code) => code && configure.mutate({ thinking: code })}
        />
      ) : null}
      {sandboxes.length > 1 ? (
        <Choice
          bare
          label="Sandbox"
          value={sandbox}
          options={sandboxes}
          disabled={once !== null}
          onChoose={(sandbox) => configure.mutate({ sandbox: sandbox as NonNullable<ConfigureRequest['sandbox']> })}
        />
      ) : null}
      {configure.error ? (
        <span role="alert" className="px-1.5 text-failed text-xs">
          Not changed: {toCodedError(configure.error).message}
        </span>
      ) : null}
    </div>
  )
}
