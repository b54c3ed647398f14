'use client'
import {
  type AgentView,
  type BackendManifestEntry,
  type SessionSettings,
  toCodedError,
} from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { SquarePen } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { Button } from '../../ui/button'
import { Choice } from '../../ui/choice'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { ErrorNotice } from '../../ui/notice'
import { backendOptions, choiceOptions, defaultCode, sandboxOptions } from './manifest-options'

export function NewSessionButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="solid" onClick={() => setOpen(true)} icon={<SquarePen className="size-4" aria-hidden />}>
        New session
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="New session">
        {open ? <NewSessionForm /> : null}
      </Dialog>
    </>
  )
}

function NewSessionForm() {
  const { agents, loaded } = useAgents()
  const usable = agents.filter((agent) => agent.state === 'active')
  const [agentId, setAgentId] = useState<string | null>(null)
  const agent = usable.find((a) => a.agentId === agentId) ?? usable.find((a) => a.online) ?? usable[0]
  if (!loaded) return <p className="text-ink-2">Looking for machines…</p>
  if (!agent) return <p className="text-ink-2">No machine is connected yet. Add one on the Agents page first.</p>
  return (
    <div className="space-y-4">
      <Choice
        label="Machine"
        value={agent.agentId}
        onChoose={setAgentId}
        options={usable.map((a) => ({
          value: a.agentId,
          label: a.online ? a.name : `${a.name} (offline: it will start when it returns)`,
        }))}
      />
      <BackendForm key={agent.agentId} agent={agent} />
    </div>
  )
}

function BackendForm({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const router = useRouter()
  const backends = agent.manifest?.backends ?? []
  const [kind, setKind] = useState(() => backends.find((b) => b.installed)?.kind ?? '')
  const backend = backends.find((b) => b.kind === kind)
  const create = useMutation({
    mutationFn: (form: FormData) => hub.rest.createSession(requestOf(agent.agentId, kind, form)),
    onSuccess: (made) => router.push(`/sessions/${made.sessionId}`),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <Choice label="Backend" value={kind} onChoose={setKind} options={backendOptions(backends)} />
      <Field
        label="Folder"
        name="workDir"
        required
        defaultValue={agent.roots[0] ?? ''}
        list="allowed-folders"
        className="font-mono text-sm"
        hint="Inside one of the folders that this machine allows."
      />
      <datalist id="allowed-folders">
        {agent.roots.map((root) => (
          <option key={root} value={root} />
        ))}
      </datalist>
      {backend ? <BackendChoices key={kind} backend={backend} /> : null}
      <FirstPrompt />
      {create.error ? <ErrorNotice error={toCodedError(create.error).toBody()} /> : null}
      <div className="flex justify-end">
        <Button type="submit" look="solid" disabled={create.isPending || !backend?.installed}>
          {create.isPending ? 'Starting…' : 'Start session'}
        </Button>
      </div>
    </form>
  )
}

function BackendChoices({ backend }: { backend: BackendManifestEntry }) {
  const [model, setModel] = useState(defaultCode(backend.models))
  const [mode, setMode] = useState(defaultCode(backend.modes))
  const [sandbox, setSandbox] = useState<string>(
    backend.sandboxes.includes('workspace-write') ? 'workspace-write' : (backend.sandboxes[0] ?? ''),
  )
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {backend.models.length > 0 ? (
        <Choice label="Model" name="model" value={model} onChoose={setModel} options={choiceOptions(backend.models)} />
      ) : null}
      {backend.modes.length > 0 ? (
        <Choice label="Mode" name="mode" value={mode} onChoose={setMode} options={choiceOptions(backend.modes)} />
      ) : null}
      {backend.sandboxes.length > 0 ? (
        <Choice
          label="Sandbox"
          name="sandbox"
          value={sandbox}
          onChoose={setSandbox}
          options={sandboxOptions(backend.sandboxes)}
        />
      ) : null}
    </div>
  )
}

function FirstPrompt() {
  return (
    <label className="block">
      <span className="mb-1 block font-medium text-ink-2 text-sm">First prompt</span>
      <textarea
        name="prompt"
        rows={4}
        placeholder="What should it do?"
        className="w-full resize-y rounded-md border border-line-strong bg-surface px-2.5 py-2 text-base placeholder:text-ink-3"
      />
    </label>
  )
}

function requestOf(agentId: string, backend: string, form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim()
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
