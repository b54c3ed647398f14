'use client'
import {
  type AgentView,
  type BackendManifestEntry,
  type SessionSettings,
  toCodedError,
} from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { Choice, type ChoiceOption } from '../../ui/choice'
import { ErrorNotice } from '../../ui/notice'
import { onForm, textIn } from '../../ui/on-form'
import { isAllowedFolder } from './allowed-folder'
import { FolderField } from './folder-field'
import { lastSession } from './last-session'
import type { LikeSession } from './like-session'
import { refusalOf } from './machine-choice'
import { backendOptions, choiceOptions, defaultCode, modeOptions, sandboxOptions } from './manifest-options'
import { startedHere } from './started-here'

interface NewSessionFormProps {
  agent: AgentView
  like: LikeSession | undefined
  onStarted: () => void
}

/** What to run on this machine, where, and with which first prompt. */
export function NewSessionForm({ agent, like, onStarted }: NewSessionFormProps) {
  const hub = useHub()
  const router = useRouter()
  const before = like?.settings ?? lastSession.get()
  const backends = agent.manifest?.backends ?? []
  const [kind, setKind] = useState(() => firstBackend(backends, before?.backend))
  const backend = backends.find((b) => b.kind === kind)
  const create = useMutation({
    mutationFn: (form: FormData) => hub.rest.createSession(requestOf(agent.agentId, kind, form)),
    onSuccess: (made, form) => {
      lastSession.set({ agentId: agent.agentId, backend: kind, workDir: String(form.get('workDir')) })
      startedHere.note(made.sessionId)
      onStarted()
      router.push(`/sessions/${made.sessionId}`)
    },
  })
  const submit = onForm((form) => {
    if (!create.isPending) create.mutate(form)
  })
  const refusal = refusalOf(agent)
  const folder =
    before?.workDir && isAllowedFolder(before.workDir, agent.roots) ? before.workDir : (agent.roots[0] ?? '')
  return (
    <form onSubmit={submit} className="space-y-4">
      <Choice label="Backend" value={kind} onChoose={setKind} options={backendOptions(backends)} />
      {backends.length === 0 ? (
        <p className="text-ink-2 text-sm">This machine has not reported its programs yet.</p>
      ) : backends.some((b) => b.installed) ? null : (
        <p className="text-needs text-sm">No backend is installed on this machine. Install one there first.</p>
      )}
      {refusal === undefined ? null : (
        <p role="status" className="text-needs text-sm">
          No session can start on {agent.name}: {refusal}.
        </p>
      )}
      <FolderField agent={agent} initial={folder} />
      {backend ? (
        <BackendChoices key={kind} backend={backend} max={agent.maxSandbox} settings={like?.settings} />
      ) : null}
      <FirstPrompt initial={like?.prompt ?? ''} />
      {create.error ? <ErrorNotice error={toCodedError(create.error).toBody()} next="No session was started." /> : null}
      <div className="flex items-center justify-end gap-3">
        <span className="hidden text-ink-3 text-xs pointer-fine:inline">Ctrl Enter to start</span>
        <Button type="submit" look="solid" disabled={create.isPending || !backend?.installed || refusal !== undefined}>
          {create.isPending ? 'Starting…' : 'Start session'}
        </Button>
      </div>
    </form>
  )
}

interface BackendChoicesProps {
  backend: BackendManifestEntry
  /** Of the machine's policy. */
  max: string | undefined
  settings: SessionSettings | undefined
}

function BackendChoices({ backend, max, settings }: BackendChoicesProps) {
  const same = settings?.backend === backend.kind ? settings : undefined
  const usual = backend.sandboxes.includes('workspace-write') ? 'workspace-write' : (backend.sandboxes[0] ?? '')
  const [model, setModel] = useState(offered(choiceOptions(backend.models), same?.model) ?? defaultCode(backend.models))
  const [mode, setMode] = useState(offered(choiceOptions(backend.modes), same?.mode) ?? defaultCode(backend.modes))
  const sandboxes = sandboxOptions(backend, '', { max, mode })
  const [sandbox, setSandbox] = useState(
    offered(sandboxes, same?.sandbox) ?? offered(sandboxes, usual) ?? sandboxes[0]?.value ?? '',
  )
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {backend.models.length > 0 ? (
        <Choice label="Model" name="model" value={model} onChoose={setModel} options={choiceOptions(backend.models)} />
      ) : null}
      {backend.modes.length > 0 ? (
        <Choice
          label="Mode"
          name="mode"
          value={mode}
          onChoose={setMode}
          options={modeOptions(backend, mode, sandbox || undefined)}
        />
      ) : null}
      {sandboxes.length > 0 ? (
        <Choice label="Sandbox" name="sandbox" value={sandbox} onChoose={setSandbox} options={sandboxes} />
      ) : null}
    </div>
  )
}

/** What an earlier session had, where it can be chosen here too. */
function offered(options: readonly ChoiceOption[], wanted: string | undefined): string | undefined {
  return options.find(({ value, disabled }) => value === wanted && !disabled)?.value
}

function FirstPrompt({ initial }: { initial: string }) {
  const box = useRef<HTMLTextAreaElement>(null)
  // The dialog may have opened before the machines were known; on touch a keyboard would cover the half of it.
  useEffect(() => {
    if (!matchMedia('(pointer: coarse)').matches) box.current?.focus()
  }, [])
  return (
    <label className="block">
      <span className="mb-1 block font-medium text-ink-2 text-sm">First prompt</span>
      <textarea
        ref={box}
        name="prompt"
        rows={4}
        defaultValue={initial}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          box.current?.form?.requestSubmit()
        }}
        placeholder="What should it do?"
        className="w-full resize-y rounded-md border border-line-strong bg-surface px-2.5 py-2 text-base placeholder:text-ink-3 focus-visible:outline-offset-0"
      />
    </label>
  )
}

function firstBackend(backends: readonly BackendManifestEntry[], wanted: string | undefined): string {
  const installed = backends.filter((backend) => backend.installed)
  return (installed.find((backend) => backend.kind === wanted) ?? installed[0])?.kind ?? ''
}

function requestOf(agentId: string, backend: string, form: FormData) {
  const text = (name: string) => textIn(form, name)
  const settings: SessionSettings = {
    backend,
    workDir: text('workDir'),
    ...(text('model') ? { model: text('model') } : {}),
    ...(text('mode') ? { mode: text('mode') } : {}),
    ...(text('sandbox') ? { sandbox: text('sandbox') as SessionSettings['sandbox'] } : {}),
  }
  const prompt = text('prompt')
  return { agentId, settings, ...(prompt ? { prompt } : {}) }
}
