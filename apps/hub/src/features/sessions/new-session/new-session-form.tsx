'use client'
import {
  type AgentView,
  type BackendManifestEntry,
  type CodedError,
  type SessionSettings,
  toCodedError,
} from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useId, useRef, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { Choice, type ChoiceOption } from '../../../ui/forms/choice'
import { ErrorNotice } from '../../../ui/forms/notice'
import { onForm, textIn } from '../../../ui/forms/on-form'
import { commandIn } from '../../../ui/text/command-in'
import { errorSentence, nextStep } from '../../advice/what-next'
import { isAllowedFolder } from './allowed-folder'
import { FirstPrompt } from './first-prompt'
import { FolderField } from './folder-field'
import { imagesRefusal } from './images-refusal'
import { lastSession } from './last-session'
import type { LikeSession } from './like-session'
import { refusalOfMachine } from './machine-answer'
import { refusalOf } from './machine-choice'
import { backendOptions, choiceOptions, defaultCode, modeOptions, sandboxOptions } from './manifest-options'
import { moreLabels, refusedField, sentenceAt } from './more/more-draft'
import { MoreSection } from './more/more-section'
import { readBudget } from './more/tree-budget'
import type { More } from './more/use-more'
import { startSession } from './start-session'
import { startedHere } from './started-here'
import { unaskedNotice } from './unasked-notice'
import type { FirstPromptDraft } from './use-first-prompt'

const NOT_STARTED = 'No session was started.'

interface NewSessionFormProps {
  agent: AgentView
  like: LikeSession | undefined
  draft: FirstPromptDraft
  more: More
  onStarted: () => void
}

/** Chooses what to run on this machine, where, and with which first prompt. */
export function NewSessionForm({ agent, like, draft, more, onStarted }: NewSessionFormProps) {
  const hub = useHub()
  const router = useRouter()
  const before = like?.settings ?? lastSession.get()
  const backends = agent.manifest?.backends ?? []
  const [kind, setKind] = useState(() => firstBackend(backends, before?.backend))
  const backend = backends.find((b) => b.kind === kind)
  const { images } = draft
  const prompt = draft.text.trim()
  const { keyOf, forget } = useKeys()
  const notice = useId()
  const shown = useRef<HTMLFormElement>(null)
  /** `said`: the sentence for a field under "More"; of the others, the notice says it. */
  const pointAt = (refusal: Pick<CodedError, 'details'>, said: string) => {
    const field = refusedField(refusal)
    if (field !== undefined) more.refuse(field, said)
    else focusOn(shown.current?.elements.namedItem(String(refusal.details?.field)))
  }
  const create = useMutation({
    mutationFn: async (form: Submitted) => {
      const request = { ...requestOf(agent.agentId, kind, form), ...(prompt ? { prompt } : {}) }
      const { sessionId } = await startSession(request, images.list, { rest: hub.rest, keyOf })
      return { sessionId, refused: agent.online ? await refusalOfMachine(sessionId, hub) : undefined }
    },
    onError: (error) => {
      const refusal = toCodedError(error)
      pointAt(refusal, sentenceAt(refusal))
    },
    onSuccess: (made, { form }) => {
      if (made.refused) {
        forget()
        pointAt({ details: { field: made.refused.field } }, errorSentence(made.refused))
        return
      }
      lastSession.set({ agentId: agent.agentId, backend: kind, workDir: String(form.get('workDir')) })
      startedHere.note(made.sessionId)
      onStarted()
      router.push(`/sessions/${made.sessionId}`)
    },
  })
  const refused = create.data?.refused
  const refusedName = refused ? refused.field : create.error ? toCodedError(create.error).details?.field : undefined
  const wrongAt = (name: string) => (refusedName === name ? notice : undefined)
  const unasked = unaskedNotice(backend)
  const refusal = refusalOf(agent)
  const noImages = imagesRefusal(backend, agent.name, { count: images.list.length, isAlone: prompt === '' })
  const cannotStart =
    create.isPending || !backend?.installed || refusal !== undefined || noImages !== null || images.incoming.length > 0
  const submit = onForm((form) => {
    const settings = backend && !cannotStart ? more.settingsFor(backend) : null
    if (settings) create.mutate({ form, more: settings, budget: more.budget })
  })
  const folder =
    before?.workDir && isAllowedFolder(before.workDir, agent.roots) ? before.workDir : (agent.roots[0] ?? '')
  return (
    <form ref={shown} onSubmit={submit} className="space-y-4">
      <Choice label="Program" value={kind} onChoose={setKind} options={backendOptions(backends)} />
      {backends.length === 0 ? (
        <p className="text-ink-2 text-sm">This machine has not reported its programs yet.</p>
      ) : backends.some((b) => b.installed) ? null : (
        <p className="text-needs text-sm">No program is installed on this machine. Install one there first.</p>
      )}
      {refusal === undefined ? null : (
        <p role="status" className="text-needs text-sm">
          No session can start on {agent.name}: {refusal}.
        </p>
      )}
      {unasked === undefined ? null : (
        <p role="status" data-testid="unasked-notice" className="flex gap-2 text-needs text-sm">
          <ShieldAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {unasked}
        </p>
      )}
      <FolderField agent={agent} initial={folder} wrong={wrongAt('workDir')} />
      {backend ? (
        <BackendChoices
          key={kind}
          backend={backend}
          max={agent.maxSandbox}
          settings={like?.settings}
          wrongAt={wrongAt}
        />
      ) : null}
      <FirstPrompt
        draft={draft}
        takesImages={backend?.capabilities.acceptsImages === true}
        isUploading={create.isPending}
      />
      {backend?.installed ? (
        <MoreSection
          draft={more.draft}
          write={more.write}
          errors={more.errorsFor(backend)}
          backend={backend}
          budget={more.budget}
          writeBudget={more.setBudget}
          budgetError={more.budgetError}
          open={more.open}
          onToggle={more.setOpen}
          refusals={more.refusals}
        />
      ) : null}
      {noImages === null ? null : (
        <p role="status" className="text-needs text-sm">
          {noImages}
        </p>
      )}
      <div className="sticky -bottom-5 z-10 -mx-5 -mb-5 space-y-3 border-line border-t bg-raised px-5 py-3">
        {create.error ? <ErrorNotice id={notice} error={shownError(create.error)} next={NOT_STARTED} /> : null}
        {refused ? (
          <ErrorNotice
            id={notice}
            error={{ code: refused.code, message: seeField(refused.field) ?? errorSentence(refused) }}
            next={[NOT_STARTED, nextStep(refused)].filter(Boolean).join(' ')}
            command={commandIn(refused.message).command}
          />
        ) : null}
        <div className="flex items-center justify-end gap-3">
          <span className="hidden text-ink-3 text-xs pointer-fine:inline">Ctrl Enter to start</span>
          <Button type="submit" look="solid" disabled={cannotStart}>
            {create.isPending ? 'Starting…' : 'Start session'}
          </Button>
        </div>
      </div>
    </form>
  )
}

interface BackendChoicesProps {
  backend: BackendManifestEntry
  /** The limit of the machine's policy. */
  max: string | undefined
  settings: SessionSettings | undefined
  /** Id of the notice that refuses this setting. */
  wrongAt: (name: string) => string | undefined
}

function BackendChoices({ backend, max, settings, wrongAt }: BackendChoicesProps) {
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
        <Choice
          label="Model"
          name="model"
          wrong={wrongAt('model')}
          value={model}
          onChoose={setModel}
          options={choiceOptions(backend.models)}
        />
      ) : null}
      {backend.modes.length > 0 ? (
        <Choice
          label="Mode"
          name="mode"
          wrong={wrongAt('mode')}
          value={mode}
          onChoose={setMode}
          options={modeOptions(backend, mode, sandbox || undefined)}
        />
      ) : null}
      {sandboxes.length > 0 ? (
        <Choice
          label="Sandbox"
          name="sandbox"
          wrong={wrongAt('sandbox')}
          value={sandbox}
          onChoose={setSandbox}
          options={sandboxes}
        />
      ) : null}
    </div>
  )
}

/** The value of an earlier session, if it can be chosen here too. */
function offered(options: readonly ChoiceOption[], wanted: string | undefined): string | undefined {
  return options.find(({ value, disabled }) => value === wanted && !disabled)?.value
}

/** The same key for the same thing while the form is open, until the machine has refused the request: then it is another one. */
function useKeys(): { keyOf: (what: string) => string; forget: () => void } {
  const keys = useRef(new Map<string, string>())
  return {
    keyOf: (what) => {
      const key = keys.current.get(what) ?? crypto.randomUUID()
      keys.current.set(what, key)
      return key
    },
    forget: () => keys.current.clear(),
  }
}

function firstBackend(backends: readonly BackendManifestEntry[], wanted: string | undefined): string {
  const installed = backends.filter((backend) => backend.installed)
  return (installed.find((backend) => backend.kind === wanted) ?? installed[0])?.kind ?? ''
}

/** What stands at a field is not repeated. */
function shownError(thrown: unknown) {
  const error = toCodedError(thrown)
  const said = seeField(error.details?.field ?? error.details?.path)
  return said === undefined ? error.toBody() : { ...error.toBody(), message: said }
}

/** Where the refusal is shown, if that is a field under "More". */
function seeField(path: unknown): string | undefined {
  const field = refusedField({ details: { path } })
  return field && `See “${moreLabels[field]}”.`
}

function focusOn(field: Element | RadioNodeList | null | undefined): void {
  if (field instanceof HTMLElement) field.focus()
}

interface Submitted {
  form: FormData
  more: Partial<SessionSettings>
  /** For sessions that it starts. */
  budget: string
}

function requestOf(agentId: string, backend: string, { form, more, budget }: Submitted) {
  const text = (name: string) => textIn(form, name)
  const settings: SessionSettings = {
    backend,
    workDir: text('workDir'),
    ...(text('model') ? { model: text('model') } : {}),
    ...(text('mode') ? { mode: text('mode') } : {}),
    ...(text('sandbox') ? { sandbox: text('sandbox') as SessionSettings['sandbox'] } : {}),
    ...more,
  }
  const spawning = readBudget({ usd: budget })
  return { agentId, settings, ...(Object.keys(spawning).length === 0 ? {} : { spawning }) }
}
